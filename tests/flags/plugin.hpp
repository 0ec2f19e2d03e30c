// This folder holds programs that are compiled with options or macros that change the meaning of headers (see
// others.cmake). Eigen includes this file inside Eigen::MatrixBase (EIGEN_MATRIXBASE_PLUGIN).
EIGEN_DEVICE_FUNC Index count_of_plugin() const { return this->size(); }
