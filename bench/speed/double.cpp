#include "algorithms.hpp"

template speed::List<double> speed::list_for(const corio::Model<double>&);
