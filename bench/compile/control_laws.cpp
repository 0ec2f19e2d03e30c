// Calls every control law and observer that corio::compiled compiles once.
#include <corio/control/adaptive_slotine_li.hpp>
#include <corio/control/collision_detector.hpp>
#include <corio/control/computed_torque.hpp>
#include <corio/control/filtered_regressors.hpp>
#include <corio/control/operational_space.hpp>
#include <corio/control/pd_plus.hpp>
#include <corio/control/slotine_li.hpp>
#include <corio/corio.hpp>

double control_laws(const corio::Model<double>& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                    const Eigen::VectorXd& gain) {
  corio::Data<double> data(model);
  double sum = corio::ComputedTorque<double>(model, {gain, gain}).update(model, data, q, v, q, v, v)[0];
  sum += corio::PDPlus<double>(model, {gain, gain}).update(model, data, q, v, q, v, v)[0];
  sum += corio::SlotineLi<double>(model, {gain, gain}).update(model, data, q, v, q, v, v)[0];
  corio::AdaptiveSlotineLi<double> adaptive(model, {gain, gain}, {.parameters = gain});
  sum += adaptive.update(model, data, q, v, q, v, v, 1e-3)[0];
  corio::FilteredRegressors<double> filtered(model, 10);
  filtered.update(model, data, q, v, gain, 1e-3);
  corio::MomentumObserver<double> observer(model, gain);
  sum += observer.update(model, data, q, v, gain, 1e-3)[0];
  corio::CollisionDetector<double> detector(model, {gain, gain}, gain);
  sum += static_cast<double>(detector.detect(model, data, observer).joints.size());
  corio::OperationalSpace<double> operational(model);
  const std::vector<corio::OperationalTask<double>> tasks(1);
  return sum + operational.update(model, data, tasks, gain)[0];
}
