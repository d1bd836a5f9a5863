// From a rendezvous to a group: a connection between every pair of ranks, whose addresses are exchanged through
// the store.
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <functional>

#include "core/errors.hpp"
#include "train/distributed/rendezvous.hpp"

namespace cvf::train {
namespace {

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

#ifdef USE_C10D_GLOO

struct SocketAddress {
  sockaddr_storage raw = {};
  socklen_t size = sizeof raw;

  sockaddr* pointer() { return reinterpret_cast<sockaddr*>(&raw); }
  bool is_loopback() const {
    if (raw.ss_family == AF_INET6) {
      const auto* six = reinterpret_cast<const sockaddr_in6*>(&raw);
      return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
    }
    const auto* four = reinterpret_cast<const sockaddr_in*>(&raw);
    return raw.ss_family == AF_INET && ntohl(four->sin_addr.s_addr) >> 24 == 127;
  }
};

SocketAddress resolve(const std::string& host) {
  addrinfo hints = {}, *found = nullptr;
  hints.ai_socktype = SOCK_DGRAM;
  const char* any_port = "9";
  if (getaddrinfo(host.c_str(), any_port, &hints, &found) != 0)
    throw DistributedError("MASTER_ADDR = '{}', the address of rank 0's machine, is unknown here", host);
  SocketAddress out;
  out.size = found->ai_addrlen;
  std::memcpy(&out.raw, found->ai_addr, found->ai_addrlen);
  freeaddrinfo(found);
  return out;
}

// The address of this machine on the network that leads to rank 0: the right network card on a cluster, and
// loopback for ranks of one machine, where no card is listened on whatever GLOO_SOCKET_IFNAME is. Gloo's own
// choice, the address of the host's name, is often 127.0.1.1.
std::string address_towards(SocketAddress address, const std::string& host) {
  SocketAddress own;
  const int probe = socket(address.raw.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);  // nothing is sent
  const bool connected = probe >= 0 && ::connect(probe, address.pointer(), address.size) == 0 &&
                         getsockname(probe, own.pointer(), &own.size) == 0;
  if (probe >= 0) close(probe);
  char text[NI_MAXHOST] = {};
  if (!connected ||
      getnameinfo(own.pointer(), own.size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0) {
    throw DistributedError("no network of this machine leads to '{}', the address of rank 0 (MASTER_ADDR)",
                           host);
  }
  return text;
}

// A group that waits for the store; what can fail on this machine alone has been done.
using Connect = std::function<c10::intrusive_ptr<Group>(const c10::intrusive_ptr<::c10d::Store>&)>;

Connect prepare_gloo(const Membership& membership, const ProcessGroupOptions& options) {
  using Gloo = ::c10d::ProcessGroupGloo;
  auto settings = Gloo::Options::create(milliseconds(options.timeout));
  const char* card = std::getenv("GLOO_SOCKET_IFNAME");
  const SocketAddress leader = resolve(membership.address);
  const bool chosen = card != nullptr && *card != '\0' && !leader.is_loopback();
  settings->devices.push_back(
      chosen ? Gloo::createDeviceForInterface(card)
             : Gloo::createDeviceForHostname(address_towards(leader, membership.address)));
  settings->threads =
      1;  // one collective at a time, in the order given; a second would only compete for the cores
  return [settings, rank = membership.rank, size = membership.size](const auto& store) {
    return c10::make_intrusive<Gloo>(store, rank, size, settings);
  };
}

#else

Connect prepare_gloo(const Membership&, const ProcessGroupOptions&) {
  throw DistributedError(
      "this program was built without Gloo (install libgloo-dev and build again): it can only run alone");
}

#endif

Connect prepare(const Membership& membership, const ProcessGroupOptions& options, torch::Device device) {
#ifdef USE_C10D_NCCL
  if (device.is_cuda()) {
    auto settings = ::c10d::ProcessGroupNCCL::Options::create();
    settings->timeout = milliseconds(options.timeout);
    return [settings, rank = membership.rank, size = membership.size](const auto& store) {
      return c10::make_intrusive<::c10d::ProcessGroupNCCL>(store, rank, size, settings);
    };
  }
#endif
  (void)device;
  return prepare_gloo(membership, options);
}

}  // namespace

c10::intrusive_ptr<Group> connect(const Membership& membership, const std::string& folder,
                                  const ProcessGroupOptions& options, torch::Device device) {
  try {
    const auto connected = prepare(membership, options, device);
    Rendezvous rendezvous(membership, folder, milliseconds(options.join_timeout));
    auto group = connected(rendezvous.wait_for_all());
    std::vector<torch::Tensor> one{torch::zeros({1}, device)};
    group->allreduce(one)->wait();  // a barrier: afterwards no rank needs the store's file
    return group;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    const std::string_view whole(error.what());
    throw DistributedError("rank {} of {} could not connect with the others: {}", membership.rank,
                           membership.size, whole.substr(0, whole.find('\n')));
  }
}

}  // namespace cvf::train
