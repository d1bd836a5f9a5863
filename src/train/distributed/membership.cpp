#include "train/distributed/membership.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

namespace cvf::train {
namespace {

// A convention: the variables that number the ranks, and those that name the launch. RANK comes first because a user may set it by hand; MPI
// comes before Slurm because mpirun inside a Slurm job leaves Slurm's own variables in place.
struct Convention {
  const char *launcher, *rank, *size, *local_rank, *local_size;
  std::array<const char*, 3> launch;
};
constexpr Convention conventions[] = {
    {"torchrun",
     "RANK",
     "WORLD_SIZE",
     "LOCAL_RANK",
     nullptr,
     {"TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "MASTER_PORT"}},
    {"Open MPI",
     "OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE",
     {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", nullptr}},
    {"MPICH", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", {}},
    {"Slurm",
     "SLURM_PROCID",
     "SLURM_NTASKS",
     "SLURM_LOCALID",
     nullptr,
     {"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_RESTART_COUNT"}},
};

class Reader {
 public:
  explicit Reader(const Environment& environment) : environment_(environment) {}

  std::optional<std::string> text(const char* name) const {
    auto value = name == nullptr ? std::nullopt : environment_(name);
    return value && value->empty() ? std::nullopt : value;
  }

  std::optional<int> number(const char* name, int low, int high) const {
    const auto word = text(name);
    if (!word) return std::nullopt;
    std::int64_t value = 0;
    try {
      value = cvf::text::to_integer(*word, name);
    } catch (const UsageError&) {
      throw UsageError("the environment variable {} = '{}' is not a whole number", name, *word);
    }
    if (value < low || value > high) {
      throw UsageError("the environment variable {} = {} must be between {} and {}", name, value, low, high);
    }
    return static_cast<int>(value);
  }

  /// One half of a pair may not stand alone.
  bool both(const char* first, const char* second) const {
    const bool has_first = text(first).has_value(), has_second = text(second).has_value();
    if (has_first == has_second) return has_first;
    throw UsageError("the environment variable {} is set but {} is not; set both or neither",
                     has_first ? first : second, has_first ? second : first);
  }

 private:
  const Environment& environment_;
};

// A batch script itself carries SLURM_PROCID = 0 beside the number of tasks that its steps will have: only
// srun makes a step, and a process outside of one would wait for peers that never come.
bool applies(const Convention& convention, const Reader& read) {
  if (std::string_view(convention.launcher) != "Slurm") return read.both(convention.rank, convention.size);
  if (!read.text("SLURM_STEP_ID") && !read.text("SLURM_STEP_NUM_TASKS")) return false;
  return read.both(convention.rank, convention.size);
}

std::string need_address(const Convention& convention) {
  throw UsageError(
      "{} says that there are several ranks, but the environment variable MASTER_ADDR is not set; set it to "
      "the "
      "name or address of rank 0's machine",
      convention.launcher);
}

std::string address(const Convention& convention, const Reader& read, int size) {
  if (const auto given = read.text("MASTER_ADDR")) return *given;
  if (const auto here = read.number(convention.local_size, 1, size); here == size) return "127.0.0.1";
  if (std::string_view(convention.launcher) != "Slurm") return need_address(convention);
  for (const char* list : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"}) {
    if (const auto nodes = read.text(list)) return first_host(*nodes);
  }
  if (const auto launch = read.text("SLURM_LAUNCH_NODE_IPADDR")) return *launch;
  return need_address(convention);
}

// What no other launch has: CVF_LAUNCH_ID, what the launcher sets, or the process that started the ranks of one
// machine.
std::string launch(const Convention& convention, const Reader& read, int size) {
  if (const auto given = read.text("CVF_LAUNCH_ID")) return *given;
  std::string out;
  for (const char* variable : convention.launch) {
    if (const auto value = read.text(variable)) out += fmt::format(" {}={}", variable, *value);
  }
  if (out.empty() && read.number(convention.local_size, 1, size) == size) out = fmt::format(" {}", getppid());
  if (!out.empty()) return convention.launcher + out;
  throw UsageError(
      "{} has set the environment variable {}, but nothing that names this launch; set CVF_LAUNCH_ID to the same "
      "new text for every rank",
      convention.launcher, convention.rank);
}

}  // namespace

Environment process_environment() {
  return [](const std::string& variable) -> std::optional<std::string> {
    const char* value = std::getenv(variable.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

std::string first_host(const std::string& node_list) {
  const auto end = node_list.find_first_of("[,");
  if (end == std::string::npos || node_list[end] == ',') return node_list.substr(0, end);
  const auto number_end = node_list.find_first_of("-,]", end);
  const auto close = node_list.find(']', end);
  if (close == std::string::npos) {
    throw UsageError("the Slurm node list '{}' has no closing bracket", node_list);
  }
  const auto next = node_list.find(',', close);
  const auto tail = node_list.substr(close + 1, next == std::string::npos ? next : next - close - 1);
  return node_list.substr(0, end) + node_list.substr(end + 1, number_end - end - 1) + tail;
}

Membership membership(const Environment& environment) {
  const Reader read(environment);
  for (const auto& convention : conventions) {
    if (!applies(convention, read)) continue;
    constexpr int many = 1 << 20;
    Membership out;
    out.launcher = convention.launcher;
    out.size = *read.number(convention.size, 1, many);
    out.rank = *read.number(convention.rank, 0, out.size - 1);
    if (out.size == 1) return out;
    out.local_rank = read.number(convention.local_rank, 0, out.size - 1).value_or(0);
    out.address = address(convention, read, out.size);
    out.launch = launch(convention, read, out.size);
    out.threads = read.number("CVF_RANK_THREADS", 1, many).value_or(0);
    return out;
  }
  return {};
}

std::string random_token() {
  std::string bytes(16, '\0');
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error(Exit::unexpected, "the system gives no random numbers");
  return hex(sha256(bytes)).substr(0, 2 * bytes.size());
}

}  // namespace cvf::train
