// How consistent a field is while it trains: the rupture, its two terms, and the NRE that would steer the
// solver (paper, eq. secant_rupture_decomposed).
#pragma once

#include "objectives/objective.hpp"
#include "train/journal.hpp"

namespace cvf::train {

/// rupture_rms, the shares of Term I (time mismatch), Term II (convective curvature) and the remainder (norm
/// of each over the sum of the three norms: the terms themselves nearly cancel in a good field), and the
/// quantiles nre_{step}_{10,50,90} over the batch at steps of 1/4, 1/2, 1 and 2 times dt_ref. Looks at the
/// first rows of the batch only.
Numbers diagnose(const objectives::ScaledField& field, const objectives::Batch& batch, double dt_ref);

}  // namespace cvf::train
