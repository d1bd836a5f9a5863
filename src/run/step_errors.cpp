#include "run/step_errors.hpp"

#include <filesystem>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/text.hpp"
#include "model/folder.hpp"

namespace cvf::run {
namespace {

struct Content {
  LearnedFrom from;
  solvers::StepErrors errors;

  void describe(config::Section& s) {
    std::int64_t format = 1;
    s.key("format", &format, "of this file", config::between(1, 1));
    s.key("checkpoint_sha256", &from.checkpoint, "of the manifest of the model");
    s.key("data_hash", &from.data_hash, "of the data file");
    s.key("samples", &from.samples, "the validation samples of that file");
    errors.describe(s);
  }
};

}  // namespace

std::string step_errors_file(const std::string& model_folder) {
  return model::folder::beside(model_folder, ".step-errors.toml");
}

void save_step_errors(const std::string& model_folder, const solvers::StepErrors& errors,
                      const LearnedFrom& from) {
  Content content{from, errors};
  files::write_atomically(step_errors_file(model_folder),
                          config::write([&](config::Section& s) { content.describe(s); }));
}

std::shared_ptr<const solvers::StepErrors> load_step_errors(const std::string& model_folder,
                                                            const std::string& checkpoint) {
  const std::string file = step_errors_file(model_folder);
  if (!std::filesystem::exists(file)) return nullptr;
  Content content;
  try {
    config::Document::from_file(file).read([&](config::Section& s) { content.describe(s); });
  } catch (const ConfigError& error) {
    throw ModelError("{}", error.what());  // names the file already
  }
  if (!content.errors.sound())
    throw ModelError(
        "{}: is damaged: nre, length and error must be positive and rise; cvf evaluate {} --calibrate "
        "makes it anew",
        file, text::shell_quoted(model_folder));
  if (content.from.checkpoint != checkpoint) return nullptr;
  return std::make_shared<const solvers::StepErrors>(std::move(content.errors));
}

}  // namespace cvf::run
