#include "algorithms.hpp"

template speed::List<speed::Counting> speed::list_for(const corio::Model<double>&);
