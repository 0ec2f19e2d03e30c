// Inside Eigen::MatrixBase.
EIGEN_DEVICE_FUNC Index count_of_plugin() const { return this->size(); }
