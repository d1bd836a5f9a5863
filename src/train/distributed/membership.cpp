#include <cstdlib>
#include <span>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "train/distributed/process_group.hpp"

namespace cvf::train {
namespace {

constexpr int usual_port = 29500;
constexpr int largest_port = 65535;

// A convention: the variables that say who we are. RANK comes first because a user may set it by hand; MPI
// comes before Slurm because mpirun inside a Slurm job leaves Slurm's own variables in place.
struct Convention {
  const char *launcher, *rank, *size, *local_rank, *local_size;
};
constexpr Convention conventions[] = {
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", nullptr},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"MPICH", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", nullptr},
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

// Two Slurm jobs may share a machine, so their number chooses the port.
int port(const Convention& convention, const Reader& read) {
  if (const auto given = read.number("MASTER_PORT", 1, largest_port)) return *given;
  if (std::string_view(convention.launcher) == "torchrun") {
    throw UsageError(
        "the environment variable RANK is set but MASTER_PORT is not; set it to a free port of rank "
        "0's machine, e.g. {}",
        usual_port);
  }
  const auto job = read.text("SLURM_JOB_ID");
  return job ? 20000 + static_cast<int>(text::to_integer(*job, "SLURM_JOB_ID") % 10000) : usual_port;
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
    out.port = port(convention, read);
    out.secret = read.text("CVF_GROUP_SECRET").value_or("");
    out.threads = read.number("CVF_RANK_THREADS", 1, many).value_or(0);
    return out;
  }
  return {};
}

}  // namespace cvf::train
