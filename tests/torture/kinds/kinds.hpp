// What the kinds share.
#pragma once

#include "torture/torture.hpp"
#include "torture/workshop.hpp"

namespace cvf::torture {

inline constexpr std::size_t heavy_cases = 40;  // of a kind whose command starts LibTorch

void add_faults(std::vector<Kind>& kinds, const std::string& workshop);
void add_moments(std::vector<Kind>& kinds, const std::string& workshop);
void add_mutants(std::vector<Kind>& kinds, const std::string& workshop);
void add_model_mutants(std::vector<Kind>& kinds, const std::string& workshop);
void add_leftovers(std::vector<Kind>& kinds, const std::string& workshop);
void add_writers(std::vector<Kind>& kinds, const std::string& workshop);
void add_resumes(std::vector<Kind>& kinds, const std::string& workshop);
void add_outputs(std::vector<Kind>& kinds, const std::string& workshop);
void add_streams(std::vector<Kind>& kinds, const std::string& workshop);
void add_meanings(std::vector<Kind>& kinds);
void add_units(std::vector<Kind>& kinds);

/// Whether its command runs without LibTorch.
bool is_quick(const Job& job);
const Job& job_named(const std::string& name);

/// Brings the inputs, and a file of the user's own, which must be there at the end.
void begin(const Place& place, const std::string& workshop, const Job& job);
/// The outputs are those of the undisturbed command, to the byte.
void expect_made(const Place& place, const std::string& workshop, const Job& job);
/// Runs the command again, to the end.
void finish(const Place& place, const std::string& workshop, const Job& job);

}  // namespace cvf::torture
