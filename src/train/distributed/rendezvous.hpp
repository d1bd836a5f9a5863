// How the ranks of a launch find each other: through files in a folder that all of them share, the run's own.
//
//   FOLDER/.ranks/         mode 0700: only this user can read or write what is in it
//     NAME                 NAME = the launch; holds the name of the store's file; written by rank 0, atomically
//     NAME.TOKEN           a c10d::FileStore: arrived/RANK = a token drawn by that rank; complete = all tokens
//
// A rank proceeds when `complete` contains its own token. A file of an earlier launch under the same name holds
// other tokens, so it can neither admit a rank nor delay it: the rank reads NAME until rank 0 publishes a new one.
#pragma once

#include <chrono>

#include "train/distributed/c10d.hpp"

namespace cvf::train {

class Rendezvous {
 public:
  Rendezvous(const Membership& membership, const std::string& folder, std::chrono::milliseconds timeout);
  ~Rendezvous();  // rank 0 removes the launch's files, and the folder if it made it
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

  /// Waits until every rank has arrived. A DistributedError that names the ranks that are missing after
  /// `timeout`, an Interrupted on a signal.
  c10::intrusive_ptr<::c10d::Store> wait_for_all();

 private:
  void publish();
  bool is_complete();  // one look at the files
  void open_store(const std::string& file);
  void complete_if_all_arrived();
  std::string absent();
  void remove_files() const;

  const Membership membership_;
  const std::string folder_, directory_, name_, token_;
  const std::chrono::milliseconds timeout_;
  bool made_folder_ = false;
  std::string file_;  // of the store that is open
  c10::intrusive_ptr<::c10d::Store> store_;
};

}  // namespace cvf::train
