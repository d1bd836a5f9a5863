// What every case starts from, made once at the beginning by the program itself, undisturbed.
//
//   data.h5, npy/, hdf5/   data files      run.toml, run/    a run that is finished, with its checkpoints
//   model/                 its last model  study/            results.jsonl and what report reads
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "torture/torture.hpp"

namespace cvf::torture {

/// A command with files: what it needs, and what it leaves, which must be the same however often it was
/// disturbed before.
struct Job {
  std::string name;
  Words inputs;  // names in the workshop
  Words command;
  Words outputs;  // files
  Words again;    // further words for the second time, where the first one may have finished
};

const std::vector<Job>& jobs();

/// The run file of the workshop with another length, e.g. "train.steps = 6".
std::string run_file(const std::string& bound);

/// The part of an output that is the same in every run: evaluations hold times of the clock.
std::string comparable(const std::string& name, const std::string& content);

void prepare_workshop(const std::string& folder);

/// A job that nobody disturbs: what it makes, and how long it takes.
struct Undisturbed {
  std::map<std::string, std::string> outputs;
  std::uint64_t calls = 0;  // to the file system
  double seconds = 0;
};

/// Run when it is first asked for. Safe from any thread.
const Undisturbed& undisturbed(const std::string& workshop, const Job& job);

}  // namespace cvf::torture
