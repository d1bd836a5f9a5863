// What every case starts from, made once at the beginning by the program itself, undisturbed.
//
//   data.h5, npy/, hdf5/   data files      run.toml, run/    a run that is finished, with its checkpoints
//   model/                 its last model  study/            results.jsonl and what report reads
//   JOB/                   the outputs of each job, to compare with
#pragma once

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

/// The part of an output that is the same in every run: evaluations hold times of the clock.
std::string comparable(const std::string& name, const std::string& content);

void prepare_workshop(const std::string& folder);

}  // namespace cvf::torture
