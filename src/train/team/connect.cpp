// How the ranks meet: a key-value store at rank 0 (TCPStore) through which they tell each other their
// addresses, then a connection between every pair.
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/errors.hpp"
#include "train/team/c10d.hpp"

namespace cvf::train {
namespace {

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

c10::intrusive_ptr<::c10d::Store> meet(const Membership& membership, const TeamOptions& options) {
  ::c10d::TCPStoreOptions store;
  store.port = static_cast<std::uint16_t>(membership.port);
  store.isServer = membership.rank == 0;
  store.numWorkers = static_cast<std::size_t>(membership.size);
  store.timeout = milliseconds(options.join_timeout);
  return c10::make_intrusive<::c10d::TCPStore>(membership.address, store);
}

#ifdef USE_C10D_GLOO

// The address of this machine that packets towards rank 0 leave from: the right network card on a cluster,
// and loopback for ranks of one machine. Gloo's own choice, the address of the host's name, is often
// 127.0.1.1.
std::string address_towards(const std::string& host, int port) {
  addrinfo hints = {}, *found = nullptr;
  hints.ai_socktype = SOCK_DGRAM;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) {
    throw TeamError("the address '{}' of rank 0 (MASTER_ADDR) is not known here", host);
  }
  sockaddr_storage own = {};
  socklen_t size = sizeof own;
  const int handle = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);  // nothing is sent
  const bool good = handle >= 0 && ::connect(handle, found->ai_addr, found->ai_addrlen) == 0 &&
                    getsockname(handle, reinterpret_cast<sockaddr*>(&own), &size) == 0;
  if (handle >= 0) close(handle);
  freeaddrinfo(found);
  char text[NI_MAXHOST] = {};
  if (!good || getnameinfo(reinterpret_cast<sockaddr*>(&own), size, text, sizeof text, nullptr, 0,
                           NI_NUMERICHOST) != 0) {
    throw TeamError("no network of this machine leads to '{}', the address of rank 0 (MASTER_ADDR)", host);
  }
  return text;
}

c10::intrusive_ptr<Group> connect_gloo(const c10::intrusive_ptr<::c10d::Store>& store,
                                       const Membership& membership, const TeamOptions& options) {
  using Gloo = ::c10d::ProcessGroupGloo;
  auto settings = Gloo::Options::create(milliseconds(options.timeout));
  const char* card = std::getenv("GLOO_SOCKET_IFNAME");
  settings->devices.push_back(
      card != nullptr && *card != '\0'
          ? Gloo::createDeviceForInterface(card)
          : Gloo::createDeviceForHostname(address_towards(membership.address, membership.port)));
  settings->threads =
      1;  // one collective at a time, in the order given; a second would only compete for the cores
  return c10::make_intrusive<Gloo>(store, membership.rank, membership.size, settings);
}

#else

c10::intrusive_ptr<Group> connect_gloo(const c10::intrusive_ptr<::c10d::Store>&, const Membership&,
                                       const TeamOptions&) {
  throw TeamError(
      "this program was built without Gloo (install libgloo-dev and build again): it can only run alone");
}

#endif

c10::intrusive_ptr<Group> connect_any(const Membership& membership, const TeamOptions& options,
                                      torch::Device device) {
  const auto store = meet(membership, options);
#ifdef USE_C10D_NCCL
  if (device.is_cuda()) {
    auto settings = ::c10d::ProcessGroupNCCL::Options::create();
    settings->timeout = milliseconds(options.timeout);
    return c10::make_intrusive<::c10d::ProcessGroupNCCL>(store, membership.rank, membership.size, settings);
  }
#endif
  (void)device;
  return connect_gloo(store, membership, options);
}

}  // namespace

c10::intrusive_ptr<Group> connect(const Membership& membership, const TeamOptions& options,
                                  torch::Device device) {
  try {
    return connect_any(membership, options, device);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    const std::string_view whole(error.what());
    throw TeamError("rank {} of {} could not meet the others at {}:{} within {} s: {}", membership.rank,
                    membership.size, membership.address, membership.port, options.join_timeout,
                    whole.substr(0, whole.find('\n')));
  }
}

}  // namespace cvf::train
