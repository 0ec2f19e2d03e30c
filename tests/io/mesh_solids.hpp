#pragma once

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "corio/io/mesh_source.hpp"
#include "corio/spatial/lie.hpp"
#include "io/mesh_files.hpp"

/// Prisms over polygons that need not be convex, with moments known on paper.
namespace corio::test {

/// The integrals of 1, r and r r^T over a body, or over its surface.
struct MomentsOnPaper {
  double sum = 0;
  Vector3<double> first = zero3<double>();
  Matrix3<double> second = diagonal3(0.0);

  MomentsOnPaper& operator+=(const MomentsOnPaper& x) {
    sum += x.sum, first += x.first, second += x.second;
    return *this;
  }
  /// Returns those of the body moved by X.
  MomentsOnPaper moved(const Pose<double>& X) const {
    const Vector3<double> turned = X.rotation * first, p = X.translation;
    return {sum, turned + sum * p,
            X.rotation * second * X.rotation.transpose() + turned * p.transpose() + p * turned.transpose() +
                sum * p * p.transpose()};
  }
  mesh::Solid solid() const {
    const Vector3<double> center = first / sum;
    const Matrix3<double> about = second - sum * center * center.transpose();
    return {.volume = sum, .center = center, .inertia = diagonal3(about.trace()) - about};
  }
};

/// Returns the largest difference, relative to the size of the body.
inline double difference(const mesh::Solid& a, const MomentsOnPaper& on_paper, double size) {
  const mesh::Solid b = on_paper.solid();
  return std::max({std::abs(a.volume / b.volume - 1), (a.center - b.center).norm() / size,
                   (a.inertia - b.inertia).norm() / (b.volume * size * size)});
}

struct Prism {
  std::vector<std::array<double, 2>> polygon;  // counterclockwise
  double height;
  Pose<double> pose = Pose<double>::identity();

  std::size_t size() const { return polygon.size(); }
  const std::array<double, 2>& corner(std::size_t i) const { return polygon[i % size()]; }
  Vector3<double> at(std::size_t i, double z) const { return at(corner(i)[0], corner(i)[1], z); }
  Vector3<double> at(double x, double y, double z) const {
    return pose.rotation * Vector3<double>(x, y, z) + pose.translation;
  }

  /// Numbers the corners: 0 .. n - 1 below, n .. 2 n - 1 above.
  std::vector<Vector3<double>> vertices() const {
    std::vector<Vector3<double>> all;
    for (const double z : {0.0, height})
      for (std::size_t i = 0; i < size(); ++i) all.push_back(at(i, z));
    return all;
  }
  /// Returns the two polygons, each starting at another corner, and a rectangle for each edge.
  std::vector<std::vector<int>> faces(std::size_t start = 0) const {
    const int n = static_cast<int>(size()), s = static_cast<int>(start);
    std::vector<std::vector<int>> all(2);
    for (int i = 0; i < n; ++i) {
      all[0].push_back((s + n - i) % n);
      all[1].push_back(n + (s + i) % n);
      all.push_back({i, (i + 1) % n, n + (i + 1) % n, n + i});
    }
    return all;
  }
  /// Returns triangles; the whole polygon must be visible from the origin.
  Surface triangles() const {
    Surface all;
    const Vector3<double> below = at(0.0, 0, 0), above = at(0.0, 0, height);
    for (std::size_t i = 0; i < size(); ++i) {
      all.push_back({at(i, 0), at(i + 1, 0), at(i + 1, height)});
      all.push_back({at(i, 0), at(i + 1, height), at(i, height)});
      all.push_back({below, at(i + 1, 0), at(i, 0)});
      all.push_back({above, at(i, height), at(i + 1, height)});
    }
    return all;
  }

  /// Uses Green's theorem for the polygon.
  MomentsOnPaper area() const {
    MomentsOnPaper sum;
    for (std::size_t i = 0; i < size(); ++i) {
      const auto [x, y] = corner(i);
      const auto [u, w] = corner(i + 1);
      const double twice = x * w - u * y, xy = (x * w + 2 * x * y + 2 * u * w + u * y) / 24;
      sum.sum += twice / 2;
      sum.first += twice / 6 * Vector3<double>(x + u, y + w, 0);
      sum.second +=
          twice * matrix3<double>((x * x + x * u + u * u) / 12, xy, 0, xy, (y * y + y * w + w * w) / 12, 0, 0, 0, 0);
    }
    return sum;
  }
  /// Extends a plane body along the third axis.
  static MomentsOnPaper along_z(const MomentsOnPaper& flat, double h) {
    MomentsOnPaper sum{flat.sum * h, flat.first * h, flat.second * h};
    sum.first[2] = flat.sum * h * h / 2;
    for (int i = 0; i < 2; ++i) sum.second(i, 2) = sum.second(2, i) = flat.first[i] * h * h / 2;
    sum.second(2, 2) = flat.sum * h * h * h / 3;
    return sum;
  }
  MomentsOnPaper volume() const { return along_z(area(), height).moved(pose); }
  MomentsOnPaper surface() const {
    MomentsOnPaper edges;
    for (std::size_t i = 0; i < size(); ++i) {
      const auto [x, y] = corner(i);
      const auto [u, w] = corner(i + 1);
      const double length = std::hypot(u - x, w - y), xy = (2 * x * y + 2 * u * w + x * w + u * y) / 6;
      edges +=
          {length, length / 2 * Vector3<double>(x + u, y + w, 0),
           length * matrix3<double>((x * x + x * u + u * u) / 3, xy, 0, xy, (y * y + y * w + w * w) / 3, 0, 0, 0, 0)};
    }
    MomentsOnPaper sum = along_z(edges, height);
    sum += area();
    sum += area().moved({identity3<double>(), Vector3<double>(0, 0, height)});
    return sum.moved(pose);
  }
};

/// Returns a prism over a star of n corners around the origin, anywhere in space and a few metres wide at most.
inline Prism random_prism(std::mt19937& generator, int n) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto x = [&] { return 2 * uniform(generator) - 1; };
  Prism prism{{}, 0.2 + uniform(generator)};
  for (int i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * (i + 0.6 * uniform(generator)) / n, radius = 0.2 + uniform(generator);
    prism.polygon.push_back({radius * std::cos(angle), radius * std::sin(angle)});
  }
  prism.pose = {exp_rotation<double>({3 * x(), 3 * x(), 3 * x()}), {x(), x(), x()}};
  return prism;
}

}  // namespace corio::test
