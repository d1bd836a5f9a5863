// Every objective: adding one is a file and a row here.
#include "objectives/default_solver.hpp"
#include "objectives/objective.hpp"

namespace cvf::objectives {

// Each in the file of its name.
std::unique_ptr<Settings> cvf_settings();
std::unique_ptr<Settings> sm_settings();
std::unique_ptr<Settings> tm_settings();
std::unique_ptr<Settings> cfm_settings();
std::unique_ptr<Settings> node_settings();
std::unique_ptr<Settings> pushforward_settings();
std::unique_ptr<Settings> osg_settings();

std::span<const Row> registry() {
  static const std::vector<Row> rows{
      {"cvf", "secants of the data that agree with each other", default_solver("cvf"), cvf_settings},
      {"sm", "the mean velocity of the interval", default_solver("sm"), sm_settings},
      {"tm", "the velocity of a spline through the frames", default_solver("tm"), tm_settings},
      {"cfm", "the secant, at every point of the line between frames", default_solver("cfm"), cfm_settings},
      {"node", "a tangent field, trained through its solver", default_solver("node"), node_settings},
      {"pushforward", "the secant, also from states that the field itself reached",
       default_solver("pushforward"), pushforward_settings},
      {"osg", "displacements over two independent steps that agree with the one over their sum",
       default_solver("osg"), osg_settings},
  };
  return rows;
}

}  // namespace cvf::objectives
