// The sockets of a process that listen, as the kernel tells: one address and port a line.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace cvf::testing_support {

/// "0100007F:A3F1": hexadecimal in the order of the bytes in memory, as in /proc/net/tcp.
inline std::string listeners(pid_t process = getpid()) {
  namespace fs = std::filesystem;
  const std::string base = "/proc/" + std::to_string(process);
  std::set<std::string> own;
  for (const auto& item : fs::directory_iterator(base + "/fd")) {
    std::error_code gone;
    const std::string target = fs::read_symlink(item.path(), gone).string();
    if (target.starts_with("socket:[")) own.insert(target.substr(8, target.size() - 9));
  }
  std::string out;
  for (const char* table : {"/net/tcp", "/net/tcp6"}) {
    std::ifstream in(base + table);
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
      std::istringstream words(line);
      std::vector<std::string> cells;
      for (std::string word; words >> word;) cells.push_back(word);
      const std::string listens = "0A";
      if (cells.size() > 9 && cells[3] == listens && own.contains(cells[9])) out += cells[1] + "\n";
    }
  }
  return out;
}

/// 127.x.x.x, ::1, or 127.x.x.x as an IPv6 address.
inline bool is_loopback(const std::string& listener) {
  const std::string address = listener.substr(0, listener.find(':'));
  if (address.size() == 8) return address.ends_with("7F");
  return address == "00000000000000000000000001000000" ||
         (address.starts_with("0000000000000000FFFF0000") && address.ends_with("7F"));
}

/// A port of 127.0.0.1 that was free a moment ago.
inline int free_port() {
  const int handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bind(handle, reinterpret_cast<sockaddr*>(&address), size);
  getsockname(handle, reinterpret_cast<sockaddr*>(&address), &size);
  close(handle);
  return ntohs(address.sin_port);
}

}  // namespace cvf::testing_support
