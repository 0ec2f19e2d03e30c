#include "algorithms.hpp"

template speed::List<float> speed::list_for(const corio::Model<double>&);
