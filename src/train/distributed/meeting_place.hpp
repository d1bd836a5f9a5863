// Where the ranks meet: names and values kept by rank 0, told to whoever knows the group's secret. It listens
// at one address only, and no longer than until the last rank has come.
#pragma once

#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "train/distributed/wire.hpp"

namespace cvf::train {

class MeetingPlace {
 public:
  MeetingPlace(const wire::Address& address, std::string secret, int ranks);
  ~MeetingPlace();
  MeetingPlace(const MeetingPlace&) = delete;
  MeetingPlace& operator=(const MeetingPlace&) = delete;

 private:
  struct Guest {
    wire::Socket socket;
    std::string received, nonce;
    bool known = false;  // has proved that it knows the secret
  };

  void serve();
  void admit();
  bool hear(Guest& guest);  // false: it has gone, or is none of us
  bool prove(Guest& guest);
  std::string answer(std::string_view request);

  std::string secret_;
  int expected_;
  wire::Socket listener_;
  std::vector<Guest> guests_;
  std::map<std::string, std::string> values_;
  std::atomic<bool> closing_ = false;
  std::thread thread_;
};

}  // namespace cvf::train
