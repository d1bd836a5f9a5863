#include "runtime/double_networks.hpp"

#include <algorithm>
#include <cmath>

namespace cvf::runtime {
namespace {

std::vector<std::string> modulating(std::size_t blocks, bool final) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < blocks; ++i) out.push_back(fmt::format("blocks.{}.modulate", i));
  if (final) out.emplace_back("final_modulate");
  return out;
}

DoubleLayer of_block(const WeightsOf<double>& weights, std::size_t i, const char* part) {
  return {weights, fmt::format("blocks.{}.{}", i, part)};
}

// How a state [channels, y, x] and what lies beside it become cells of patches: the values of a cell are
// ordered (channel, y, x).
struct Patches {
  std::size_t state_channels, channels, height, width, patch_y, patch_x;

  std::size_t rows() const { return height / patch_y; }
  std::size_t columns() const { return width / patch_x; }
  std::size_t values() const { return channels * patch_y * patch_x; }

  template <class Visit>  // visit(value of a cell, channel, place in its plane)
  void each(const Visit& visit) const {
    for (std::size_t cell = 0; cell < rows() * columns(); ++cell) {
      const std::size_t y = cell / columns() * patch_y, x = cell % columns() * patch_x;
      for (std::size_t v = 0; v < values(); ++v) {
        const std::size_t in_patch = v % (patch_y * patch_x);
        visit(cell * values() + v, v / (patch_y * patch_x),
              (y + in_patch / patch_x) * width + x + in_patch % patch_x);
      }
    }
  }
  void take(const QueryOf<double>& query, std::size_t row, double* cells) const {
    const std::size_t plane = height * width, beside = channels - state_channels;
    each([&](std::size_t to, std::size_t channel, std::size_t place) {
      cells[to] = channel < state_channels
                      ? query.state[(row * state_channels + channel) * plane + place]
                      : query.beside[(row * beside + channel - state_channels) * plane + place];
    });
  }
  // What the network says of fields beside the state is dropped.
  void give(const double* cells, std::size_t row, double* psi) const {
    each([&](std::size_t from, std::size_t channel, std::size_t place) {
      if (channel < state_channels)
        psi[(row * state_channels + channel) * height * width + place] = cells[from];
    });
  }
};

void add_gated(double* x, const double* gate, double one, const double* added, std::size_t rows,
               std::size_t width) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t k = 0; k < width; ++k) x[r * width + k] += (one + gate[k]) * added[r * width + k];
  }
}

std::size_t count_of(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

}  // namespace

DoubleMlp::DoubleMlp(const fields::StateShape& shape, const fields::MlpOptions& options,
                     const WeightsOf<double>& weights)
    : modulation_(shape, options.conditioned, modulating(count_of(options.depth), true), weights),
      input_(weights, "input"),
      output_(weights, "output") {
  for (std::size_t i = 0; i < count_of(options.depth); ++i)
    blocks_.push_back({of_block(weights, i, "expand"), of_block(weights, i, "contract")});
}

void DoubleMlp::forward(const QueryOf<double>& query, double* psi, int threads) const {
  const std::size_t width = input_.out(), inner = blocks_.empty() ? 0 : blocks_[0].expand.out();
  for_each_sample(query.rows, threads, modulation_.scratch() + 3 * width + inner,
                  [&](std::size_t row, Scratch& scratch) {
                    const double* m = modulation_.of(query, row, scratch);
                    double *x = scratch.take(width), *normal = scratch.take(width),
                           *added = scratch.take(width), *hidden = scratch.take(inner);
                    input_.forward(query.state + row * input_.in(), 1, x);
                    for (const auto& block : blocks_) {  // shift, scale, gate
                      modulated_norm(x, 1, width, m, m + width, normal);
                      block.expand.forward(normal, 1, hidden);
                      gelu(hidden, inner);
                      block.contract.forward(hidden, 1, added);
                      add_gated(x, m + 2 * width, 0, added, 1, width);
                      m += 3 * width;
                    }
                    modulated_norm(x, 1, width, m, m + width, normal);
                    output_.forward(normal, 1, psi + row * output_.out());
                  });
}

double DoubleMlp::flops() const {
  double out = input_.products() + output_.products();
  for (const auto& block : blocks_) out += block.expand.products() + block.contract.products();
  return 2 * out + modulation_.flops();
}

DoubleSit::DoubleSit(const fields::StateShape& shape, const fields::SitOptions& options,
                     const WeightsOf<double>& weights)
    : channels_(count_of(shape.channels)),
      size_(options.size(shape)),
      modulation_(shape, options.conditioned, modulating(count_of(options.depth), true), weights),
      patch_(weights, "patch"),
      output_(weights, "output"),
      positions_(weights.at("positions"), weights.at("positions") + size_.tokens() * size_.dim) {
  for (std::size_t i = 0; i < count_of(options.depth); ++i) {
    blocks_.push_back({of_block(weights, i, "qkv"), of_block(weights, i, "project"),
                       of_block(weights, i, "expand"), of_block(weights, i, "contract")});
  }
}

// qkv [tokens, 3, heads, values of a head]; `weights` of one token on all others.
void DoubleSit::attend(const double* qkv, double* weights, double* out) const {
  const std::size_t tokens = count_of(size_.tokens()), dim = count_of(size_.dim),
                    each = count_of(size_.head_dim());
  const double scale = 1 / std::sqrt(static_cast<double>(each));
  for (std::size_t head = 0; head < dim; head += each) {
    const double *keys = qkv + dim + head, *values = qkv + 2 * dim + head;
    for (std::size_t i = 0; i < tokens; ++i) {
      const double* query = qkv + i * 3 * dim + head;
      double largest = -INFINITY, sum = 0;
      for (std::size_t j = 0; j < tokens; ++j) {
        double product = 0;
        for (std::size_t k = 0; k < each; ++k) product += query[k] * scale * keys[j * 3 * dim + k];
        largest = std::max(largest, weights[j] = product);
      }
      for (std::size_t j = 0; j < tokens; ++j) sum += weights[j] = std::exp(weights[j] - largest);
      double* to = out + i * dim + head;
      std::fill_n(to, each, 0.0);
      for (std::size_t j = 0; j < tokens; ++j) {
        const double weight = weights[j] / sum;
        for (std::size_t k = 0; k < each; ++k) to[k] += weight * values[j * 3 * dim + k];
      }
    }
  }
}

void DoubleSit::forward(const QueryOf<double>& query, double* psi, int threads) const {
  const std::size_t tokens = count_of(size_.tokens()), dim = count_of(size_.dim),
                    edge = count_of(size_.patch_values());
  const Patches patches{channels_,
                        count_of(size_.channels),
                        count_of(size_.height),
                        count_of(size_.width),
                        count_of(size_.patch),
                        count_of(size_.patch)};
  const std::size_t room = modulation_.scratch() + tokens * (edge + 3 * dim + 4 * dim + 1);
  for_each_sample(query.rows, threads, room, [&](std::size_t row, Scratch& scratch) {
    const double* m = modulation_.of(query, row, scratch);
    double *cells = scratch.take(tokens * edge), *x = scratch.take(tokens * dim),
           *normal = scratch.take(tokens * dim), *added = scratch.take(tokens * dim),
           *wide = scratch.take(tokens * 4 * dim), *weights = scratch.take(tokens);
    patches.take(query, row, cells);
    patch_.forward(cells, tokens, x);
    for (std::size_t i = 0; i < tokens * dim; ++i) x[i] += positions_[i];
    for (const auto& block : blocks_) {  // shift, scale, gate of the attention, then of the layers behind it
      modulated_norm(x, tokens, dim, m, m + dim, normal);
      block.qkv.forward(normal, tokens, wide);
      attend(wide, weights, normal);
      block.project.forward(normal, tokens, added);
      add_gated(x, m + 2 * dim, 0, added, tokens, dim);
      modulated_norm(x, tokens, dim, m + 3 * dim, m + 4 * dim, normal);
      block.expand.forward(normal, tokens, wide);
      gelu(wide, tokens * 4 * dim);
      block.contract.forward(wide, tokens, added);
      add_gated(x, m + 5 * dim, 0, added, tokens, dim);
      m += 6 * dim;
    }
    modulated_norm(x, tokens, dim, m, m + dim, normal);
    output_.forward(normal, tokens, cells);
    patches.give(cells, row, psi);
  });
}

double DoubleSit::flops() const {
  const auto tokens = static_cast<double>(size_.tokens());
  double products = patch_.products() + output_.products() +
                    2 * static_cast<double>(size_.depth) * tokens * static_cast<double>(size_.dim);
  for (const auto& b : blocks_)
    products += b.qkv.products() + b.project.products() + b.expand.products() + b.contract.products();
  return 2 * products * tokens + modulation_.flops();
}

DoubleConv::DoubleConv(const fields::StateShape& shape, const fields::ConvOptions& options,
                       const WeightsOf<double>& weights)
    : DoubleConv(
          [&] {
            const std::size_t count = options.size(shape).dilations.size();
            std::vector<Block> blocks;
            for (std::size_t i = 0; i < count; ++i)
              blocks.push_back({of_block(weights, i, "spatial"), of_block(weights, i, "mix")});
            return std::make_shared<const Parts>(
                Parts{shape, options,
                      DoubleModulation(shape, options.conditioned, modulating(count, false), weights),
                      DoubleLayer(weights, "lift"), DoubleLayer(weights, "output"), std::move(blocks)});
          }(),
          shape.height, shape.width) {}

DoubleConv::DoubleConv(std::shared_ptr<const Parts> parts, std::int64_t height, std::int64_t width)
    : parts_(std::move(parts)) {
  auto shape = parts_->shape;
  shape.height = height, shape.width = width;
  size_ = parts_->options.size(shape);
  rows_ = height / size_.patch_y, columns_ = width / size_.patch_x;
  reach_.push_back(neighbours(1));
  for (const auto dilation : size_.dilations) reach_.push_back(neighbours(dilation));
}

std::shared_ptr<const NetworkOf<double>> DoubleConv::on_grid(std::int64_t height, std::int64_t width) const {
  return std::shared_ptr<const NetworkOf<double>>(new DoubleConv(parts_, height, width));
}

std::vector<std::size_t> DoubleConv::neighbours(std::int64_t dilation) const {
  std::vector<std::size_t> out;
  for (std::int64_t tap = 0; tap < size_.taps(); ++tap) {
    const std::int64_t down = size_.along_x ? 0 : (tap / 3 - 1) * dilation, right = (tap % 3 - 1) * dilation;
    for (std::int64_t cell = 0; cell < rows_ * columns_; ++cell) {
      const std::int64_t y = kernels::source_cell(cell / columns_ + down, rows_, size_.boundary_y),
                         x = kernels::source_cell(cell % columns_ + right, columns_, size_.boundary_x);
      out.push_back(count_of(y * columns_ + x));
    }
  }
  return out;
}

void DoubleConv::forward(const QueryOf<double>& query, double* psi, int threads) const {
  const auto& p = *parts_;
  const std::size_t cells = count_of(rows_ * columns_), dim = count_of(size_.dim),
                    edge = count_of(size_.inputs());
  const Patches patches{count_of(p.shape.channels),      count_of(size_.channels),
                        count_of(rows_ * size_.patch_y), count_of(columns_ * size_.patch_x),
                        count_of(size_.patch_y),         count_of(size_.patch_x)};
  const auto activate = [this](double* values, std::size_t count) {
    size_.silu ? silu(values, count) : gelu(values, count);
  };
  const std::size_t room = p.modulation.scratch() + cells * (edge + 3 * dim);
  for_each_sample(query.rows, threads, room, [&](std::size_t row, Scratch& scratch) {
    const double* m = p.modulation.of(query, row, scratch);
    double *edges = scratch.take(cells * edge), *x = scratch.take(cells * dim),
           *hidden = scratch.take(cells * dim), *added = scratch.take(cells * dim);
    patches.take(query, row, edges);
    p.lift.forward(edges, reach_[0], cells, x);
    for (std::size_t i = 0; i < p.blocks.size(); ++i) {  // shift, scale, gate
      p.blocks[i].spatial.forward(x, reach_[i + 1], cells, hidden);
      for (std::size_t c = 0; c < cells * dim; ++c)
        hidden[c] = hidden[c] * (1 + m[dim + c % dim]) + m[c % dim];
      activate(hidden, cells * dim);
      p.blocks[i].mix.forward(hidden, cells, added);
      add_gated(x, m + 2 * dim, 1, added, cells, dim);
      m += 3 * dim;
    }
    activate(x, cells * dim);
    p.output.forward(x, reach_[0], cells, edges);
    patches.give(edges, row, psi);
  });
}

double DoubleConv::flops() const {
  double products = parts_->lift.products() + parts_->output.products();
  for (const auto& block : parts_->blocks) products += block.spatial.products() + block.mix.products();
  return 2 * products * static_cast<double>(rows_ * columns_) + parts_->modulation.flops();
}

}  // namespace cvf::runtime
