#include "objectives/cfm.hpp"
#include "objectives/cvf.hpp"
#include "objectives/node.hpp"
#include "objectives/osg.hpp"
#include "objectives/pushforward.hpp"
#include "objectives/sm.hpp"
#include "objectives/tm.hpp"

namespace cvf::objectives {

std::span<const Row> registry() {
  static const std::vector<Row> rows{
      {"cvf", "secants of the data that agree with each other", true, "gcs", settings_of<Cvf>},
      {"sm", "the mean velocity of the interval", false, "euler", settings_of<SecantMatching>},
      {"tm", "the velocity of a spline through the frames", false, "rk4", settings_of<TangentMatching>},
      {"cfm", "the secant, at every point of the line between frames", false, "rk4",
       settings_of<FlowMatching>},
      {"node", "a tangent field, trained through its solver", false, "rk4", settings_of<NeuralOde>},
      {"pushforward", "the secant, also from states that the field itself reached", false, "euler",
       settings_of<Pushforward>},
      {"osg", "displacements over two independent steps that agree with the one over their sum", true,
       "euler", settings_of<SemigroupOperators>},
  };
  return rows;
}

}  // namespace cvf::objectives
