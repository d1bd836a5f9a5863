#include "train/distributed/rendezvous.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <thread>
#include <torch/csrc/distributed/c10d/FileStore.hpp>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/hash.hpp"
#include "core/interrupt.hpp"
#include "core/text.hpp"

namespace cvf::train {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds poll_interval{50};
// A FileStore waits this long for a file that rank 0 has removed meanwhile.
constexpr std::chrono::milliseconds store_timeout{1000};
constexpr const char* complete_key = "complete";

std::string arrival_key(int rank) {
  return fmt::format("arrived/{}", rank);
}

// False: there is none. Another user must not be able to put files of theirs into it.
bool is_private_directory(const std::string& path) {
  struct stat found = {};
  if (lstat(path.c_str(), &found) != 0) return false;
  if (S_ISDIR(found.st_mode) && found.st_uid == geteuid() && (found.st_mode & 0777) == 0700) return true;
  throw DistributedError(
      "{}: must be a directory of this user with mode 0700, through which the ranks find each other; remove it",
      path);
}

void make_private_directory(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    throw DistributedError("{}: cannot be made, and the ranks find each other through it: {}", path,
                           std::strerror(errno));
  }
  is_private_directory(path);
}

std::vector<std::uint8_t> bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

std::string text_of(const std::vector<std::uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

}  // namespace

Rendezvous::Rendezvous(const Membership& membership, const std::string& folder,
                       std::chrono::milliseconds timeout)
    : membership_(membership),
      folder_(folder),
      directory_(folder + "/.ranks"),
      name_(hex(sha256(membership.launch)).substr(0, 32)),
      token_(random_token()),
      timeout_(timeout) {
  if (membership_.rank == 0) publish();
}

Rendezvous::~Rendezvous() {
  if (membership_.rank == 0) remove_files();
  if (made_folder_) rmdir(folder_.c_str());  // if it is empty: the run makes it again when it begins
}

void Rendezvous::publish() {
  std::error_code failed;
  made_folder_ = fs::create_directories(folder_, failed);
  make_private_directory(directory_);
  remove_files();  // those of a launch of the same name that was killed
  make_private_directory(directory_);
  const std::string file = fmt::format("{}.{}", name_, token_), path = directory_ + "/" + file;
  const int handle = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (handle < 0 || close(handle) != 0)
    throw DistributedError("{}: cannot be written: {}", path, std::strerror(errno));
  files::write_atomically(directory_ + "/" + name_, file);
}

void Rendezvous::remove_files() const {
  std::error_code failed;
  std::vector<fs::path> ours;
  for (const auto& item : fs::directory_iterator(directory_, failed)) {
    if (item.path().filename().string().starts_with(name_)) ours.push_back(item.path());
  }
  for (const auto& path : ours) fs::remove(path, failed);
  rmdir(directory_.c_str());  // unless another launch has files in it
}

c10::intrusive_ptr<::c10d::Store> Rendezvous::wait_for_all() {
  const auto deadline = Clock::now() + timeout_;
  while (!is_complete()) {
    interrupt::throw_if_requested("the ranks had not met yet, so there was nothing to save");
    if (Clock::now() > deadline) {
      throw DistributedError(
          "rank {} of {} waited {} s in {} for {}; start every rank in the same launch (or set CVF_LAUNCH_ID to "
          "the same new text for each), with the same --out folder, which all machines must share",
          membership_.rank, membership_.size, static_cast<double>(timeout_.count()) / 1e3, directory_, absent());
    }
    std::this_thread::sleep_for(poll_interval);
  }
  store_->setTimeout(timeout_);
  return store_;
}

bool Rendezvous::is_complete() {
  const std::string path = directory_ + "/" + name_;
  if (!is_private_directory(directory_) || access(path.c_str(), R_OK) != 0) return false;
  try {
    const std::string published = files::read_whole(path);
    if (published != file_) open_store(published);
    if (membership_.rank == 0) complete_if_all_arrived();
    return store_->check({complete_key}) && text_of(store_->get(complete_key)).find(token_) != std::string::npos;
  } catch (const std::exception&) {  // rank 0 has removed a file meanwhile: the next look finds the new one
    file_.clear();
    return false;
  }
}

void Rendezvous::open_store(const std::string& file) {
  constexpr int no_count = -1;  // rank 0 removes the file, not the last store that is closed
  store_ = c10::make_intrusive<::c10d::FileStore>(directory_ + "/" + file, no_count);
  store_->setTimeout(store_timeout);
  store_->set(arrival_key(membership_.rank), bytes_of(token_));
  file_ = file;
}

void Rendezvous::complete_if_all_arrived() {
  std::string tokens;
  for (int rank = 0; rank < membership_.size; ++rank) {
    if (!store_->check({arrival_key(rank)})) return;
    tokens += text_of(store_->get(arrival_key(rank))) + " ";
  }
  store_->set(complete_key, bytes_of(tokens));
}

std::string Rendezvous::absent() {
  std::vector<std::string> ranks;
  try {
    for (int rank = 0; rank < membership_.size && !file_.empty(); ++rank) {
      if (!store_->check({arrival_key(rank)})) ranks.push_back(std::to_string(rank));
    }
  } catch (const std::exception&) {
    ranks.clear();
  }
  if (ranks.empty()) return "rank 0";
  return (ranks.size() == 1 ? "rank " : "ranks ") + text::join(ranks);
}

}  // namespace cvf::train
