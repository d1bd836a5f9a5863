// The meeting place as c10d wants to see it: a store of names and values. LibTorch's own TCPStore listens on
// every network card and lets everybody in.
#pragma once

#include <memory>
#include <mutex>

#include "train/distributed/c10d.hpp"
#include "train/distributed/meeting_place.hpp"

namespace cvf::train {

class MeetingStore : public ::c10d::Store {
 public:
  /// Rank 0 opens the meeting place; every rank goes there and waits until all have come. Throws
  /// std::runtime_error when that takes longer than `patience`, and Interrupted on a signal.
  MeetingStore(const Membership& membership, std::chrono::milliseconds patience);

  void set(const std::string& key, const std::vector<std::uint8_t>& value) override;
  std::vector<std::uint8_t> get(const std::string& key) override;
  std::int64_t add(const std::string& key, std::int64_t value) override;
  bool deleteKey(const std::string& key) override;
  bool check(const std::vector<std::string>& keys) override;
  std::int64_t getNumKeys() override;
  void wait(const std::vector<std::string>& keys) override { wait(keys, timeout_); }
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override;
  /// Newer versions of c10d ask for a second handle for another thread; one request at a time is let through.
  virtual c10::intrusive_ptr<::c10d::Store> clone() {
    return c10::intrusive_ptr<::c10d::Store>::unsafe_reclaim_from_nonowning(this);
  }

 private:
  std::string ask(const std::string& request);
  void enter(const Membership& membership, const wire::Address& address);

  std::unique_ptr<MeetingPlace> place_;  // rank 0's
  wire::Socket socket_;
  std::string received_;
  std::mutex mutex_;
};

}  // namespace cvf::train
