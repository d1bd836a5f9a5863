// How the ranks meet: a store at rank 0 through which they tell each other their addresses, then a connection
// between every pair.
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/errors.hpp"
#include "train/distributed/c10d.hpp"
#include "train/distributed/meeting_store.hpp"

namespace cvf::train {
namespace {

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

#ifdef USE_C10D_GLOO

// The address of this machine that packets towards rank 0 leave from: the right network card on a cluster,
// and loopback for ranks of one machine, where no card is listened on whatever GLOO_SOCKET_IFNAME says.
// Gloo's own choice, the address of the host's name, is often 127.0.1.1.
std::string address_towards(const wire::Address& address, const std::string& host) {
  sockaddr_storage own = {};
  socklen_t size = sizeof own;
  const wire::Socket probe(socket(address.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));  // nothing is sent
  const bool good = probe.open() && ::connect(probe.number(), address.pointer(), address.size) == 0 &&
                    getsockname(probe.number(), reinterpret_cast<sockaddr*>(&own), &size) == 0;
  char text[NI_MAXHOST] = {};
  if (!good || getnameinfo(reinterpret_cast<sockaddr*>(&own), size, text, sizeof text, nullptr, 0,
                           NI_NUMERICHOST) != 0) {
    throw DistributedError("no network of this machine leads to '{}', the address of rank 0 (MASTER_ADDR)",
                           host);
  }
  return text;
}

c10::intrusive_ptr<Group> connect_gloo(const c10::intrusive_ptr<::c10d::Store>& store,
                                       const Membership& membership, const ProcessGroupOptions& options) {
  using Gloo = ::c10d::ProcessGroupGloo;
  auto settings = Gloo::Options::create(milliseconds(options.timeout));
  const char* card = std::getenv("GLOO_SOCKET_IFNAME");
  const wire::Address meeting = wire::resolve(membership.address, membership.port);
  const bool chosen = card != nullptr && *card != '\0' && !meeting.is_loopback();
  settings->devices.push_back(
      chosen ? Gloo::createDeviceForInterface(card)
             : Gloo::createDeviceForHostname(address_towards(meeting, membership.address)));
  settings->threads =
      1;  // one collective at a time, in the order given; a second would only compete for the cores
  return c10::make_intrusive<Gloo>(store, membership.rank, membership.size, settings);
}

#else

c10::intrusive_ptr<Group> connect_gloo(const c10::intrusive_ptr<::c10d::Store>&, const Membership&,
                                       const ProcessGroupOptions&) {
  throw DistributedError(
      "this program was built without Gloo (install libgloo-dev and build again): it can only run alone");
}

#endif

c10::intrusive_ptr<Group> connect_any(const Membership& membership, const ProcessGroupOptions& options,
                                      torch::Device device) {
  const c10::intrusive_ptr<::c10d::Store> store =
      c10::make_intrusive<MeetingStore>(membership, milliseconds(options.join_timeout));
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

c10::intrusive_ptr<Group> connect(const Membership& membership, const ProcessGroupOptions& options,
                                  torch::Device device) {
  try {
    return connect_any(membership, options, device);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    const std::string_view whole(error.what());
    throw DistributedError("rank {} of {} could not meet the others at {}:{} within {} s: {}",
                           membership.rank, membership.size, membership.address, membership.port,
                           options.join_timeout, whole.substr(0, whole.find('\n')));
  }
}

}  // namespace cvf::train
