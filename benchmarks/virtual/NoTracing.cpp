#include "Tracing.h"

namespace pilgrim::virtualranks {

std::unique_ptr<Tracing> makeTracing(const TracingOptions &) { return nullptr; }

} // namespace pilgrim::virtualranks
