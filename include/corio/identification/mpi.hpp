#pragma once

#include <mpi.h>

#include "corio/identification/shard.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Merges the streams of all processes of a communicator in the order of their ranks; all of them must call it.
/// Programs that call it are started by MPI (Debian and Ubuntu: libopenmpi-dev, openmpi-bin; link MPI::MPI_CXX).
/// @returns the sum in rank 0, and in the others their own stream
/// @throws Error; errors of MPI end the program, as is its default
inline StreamingLeastSquares<double> merge_over_mpi(const StreamingLeastSquares<double>& own, MPI_Comm comm) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::vector<char> bytes =
      to_bytes({}, own);  // their number depends only on the columns, so it is the same in all ranks
  if (rank > 0) {
    detail::for_each_message(bytes, [&](char* part, int size) { MPI_Send(part, size, MPI_BYTE, 0, 0, comm); });
    return own;
  }
  StreamingLeastSquares<double> sum = own;
  for (int other = 1; other < ranks; ++other) {
    detail::for_each_message(
        bytes, [&](char* part, int size) { MPI_Recv(part, size, MPI_BYTE, other, 0, comm, MPI_STATUS_IGNORE); });
    sum.merge(from_bytes(bytes, detail::join({"the stream of rank ", std::to_string(other)})).stream);
  }
  return sum;
}

}}  // namespace corio
