// A model's folder with damage. The manifest finds every changed bit; where a hostile hand has made it fit,
// the files behind it must still be read with care.
#include <fmt/format.h>

#include "core/hash.hpp"
#include "torture/kinds/kinds.hpp"
#include "torture/mutate.hpp"

namespace cvf::torture {
namespace {

const Words all_files{"model.toml", "run.toml", "weights.safetensors", "normalizer.safetensors",
                      "SHA256SUMS"};

// Lines as sha256sum writes them, below the line with the format.
void make_manifest_fit(const Place& place) {
  std::string out;
  const std::string old = place.read("model/SHA256SUMS");
  for (std::size_t begin = 0; begin < old.size();) {
    const auto end = old.find('\n', begin);
    const std::string line = old.substr(begin, end - begin), name = line.substr(line.rfind(' ') + 1);
    const bool is_sum = line.find("  ") != std::string::npos;
    out += is_sum ? fmt::format("{}  {}\n", hex(sha256(place.read("model/" + name))), name) : line + "\n";
    begin = end + 1;
  }
  place.write("model/SHA256SUMS", out);
}

Ran use(const Place& place, std::size_t number) {
  if (number % 2 == 0)
    return place.run({"rollout", "model", "--data", "data.h5", "--samples", "0", "--out", "out.h5"});
  return place.run({"evaluate", "model", "--data", "data.h5", "--samples", "0", "--protocol", "direct"});
}

void run(const std::string& workshop, bool hostile, std::size_t number, RandomStream random) {
  const Place place;
  place.bring(workshop, {"data.h5", "model"});
  const std::string name = "model/" + all_files[random.below(all_files.size() - (hostile ? 1 : 0))];
  const std::string before = place.read(name);
  const bool is_text = name.ends_with(".toml");
  place.write(name, is_text ? mutated_text(before, "file", random) : mutated_bytes(before, random));
  if (hostile) make_manifest_fit(place);
  const Ran ran = use(place, number);
  expect_manners(ran);
  if (!hostile && place.read(name) != before) expect_code(ran, {5});
}

}  // namespace

void add_model_mutants(std::vector<Kind>& kinds, const std::string& workshop) {
  for (const bool hostile : {false, true}) {
    kinds.push_back(
        {hostile ? "model-hostile" : "model-mutant",
         hostile ? "a model's file with damage that its manifest fits" : "a model's file with damage", 200,
         [=](std::size_t number, RandomStream random) { run(workshop, hostile, number, random); },
         "damaged models"});
  }
}

}  // namespace cvf::torture
