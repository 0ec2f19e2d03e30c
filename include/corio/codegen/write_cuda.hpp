#pragma once

#include "corio/codegen/writer.hpp"

namespace corio::inline CORIO_ABI::codegen {

/// CUDA of several functions for one robot, ROBOT.cuh and ROBOT.cu, one thread a state:
///   ROBOT_NAME_state(..)  for kernels of the user's, numbers of a state in_stride and out_stride apart;
///   int ROBOT_NAME(.., states, rows, scratch, stream)  on the host, arrays on the device, returns a cudaError_t.
/// Arrays are [number][state], which threads read and write side by side, or with `rows` [state][number]: results of
/// more than 64 numbers are then computed as [number][state] in `scratch`, of ROBOT_NAME_scratch(states) numbers, and
/// turned.
class CudaWriter : public detail::Writer {
 public:
  CudaWriter(std::string robot, std::string layout, bool single_precision)
      : Writer(std::move(robot), std::move(layout), Language{true, single_precision, 1}) {}

  void add(const Recording& f, const Schedule& s) {
    Writer::add(f, s);
    const int blocks = blocks_at_once(f, s);
    const std::string name = robot_ + "_" + f.name(), results = std::to_string(f.num_outputs());
    std::string inputs, outputs, states, of_chunk, to_chunk, turns, pointers;
    const auto offset = [&](const Recording::Array& x, const char* rows) {
      return x.name + " + (" + rows + " ? (size_t)state * " + std::to_string(x.size()) + " : state)";
    };
    for (const auto& x : f.inputs()) {
      inputs += "const " + real_ + "* " + x.name + ", ";
      states += offset(x, "in_rows") + ", ";
      of_chunk += x.name + " + first * " + std::to_string(x.size()) + ", ";
      pointers += " || !" + x.name;
    }
    states += "in_rows ? 1 : states";
    int begin = 0;
    for (const auto& x : f.outputs()) {
      outputs += real_ + "* " + x.name + ", ";
      states += ", " + offset(x, "out_rows");
      const std::string from = "scratch + " + std::to_string(begin) + " * chunk", size = std::to_string(x.size());
      to_chunk += from + ", ";
      turns += "    CORIO_LAUNCH(" + robot_ + "_turn, dim3((chunk + 31) / 32, " + std::to_string((x.size() + 31) / 32) +
               "), 256, (cudaStream_t)stream, " + from + ", " + x.name + " + first * " + size + ", " + size +
               ", (unsigned)chunk);\n";
      pointers += " || !" + x.name;
      begin += x.size();
    }
    states += ", out_rows ? 1 : states";
    declarations_ += "/// " + signature(f) + "\nint " + name + "(" + inputs + outputs + "size_t states, int rows, " +
                     real_ + "* scratch, void* stream);\nsize_t " + name + "_scratch(size_t states);\n";
    const auto launch = [&](const std::string& in, const std::string& out, const char* n, const char* rows) {
      return "CORIO_LAUNCH(" + name + "_kernel, dim3((unsigned)((" + n + " + CORIO_THREADS - 1) / CORIO_THREADS)), " +
             "CORIO_THREADS, (cudaStream_t)stream, " + in + out + "(unsigned)" + n + ", " + rows + ");\n";
    };
    std::string plain_in, plain_out;
    for (const auto& x : f.inputs()) plain_in += x.name + ", ";
    for (const auto& x : f.outputs()) plain_out += x.name + ", ";
    const bool turned = f.num_outputs() > 64;
    kernels_ += "static __global__ void CORIO_BOUNDS(" + std::to_string(blocks) + ") " + name + "_kernel(" + inputs +
                outputs +
                "unsigned states, int in_rows, int out_rows) {\n  const unsigned state = blockIdx.x * blockDim.x + " +
                "threadIdx.x;\n  if (state < states) " + name + "_state(" + states + ");\n}\n" +
                "extern \"C\" size_t " + name + "_scratch(size_t states) {\n  return " +
                (turned ? "(states < CORIO_CHUNK ? states : CORIO_CHUNK) * " + results : "0 * states") + ";\n}\n" +
                "extern \"C\" int " + name + "(" + inputs + outputs + "size_t states, int rows, " + real_ +
                "* scratch, void* stream) {\n  if (states == 0) return cudaSuccess;\n  if (states > 0x7fffffff" +
                pointers + ") return cudaErrorInvalidValue;\n";
    if (turned)
      kernels_ += "  if (rows) {\n    if (!scratch) return cudaErrorInvalidValue;\n" +
                  std::string("    for (size_t first = 0; first < states; first += CORIO_CHUNK) {\n    ") +
                  "const size_t chunk = states - first < CORIO_CHUNK ? states - first : CORIO_CHUNK;\n    " +
                  launch(of_chunk, to_chunk, "chunk", "1, 0") + turns +
                  "    }\n    return cudaGetLastError();\n  }\n  " + launch(plain_in, plain_out, "states", "0, 0");
    else
      kernels_ += "  (void)scratch;\n  " + launch(plain_in, plain_out, "states", "rows, rows");
    kernels_ += "  return cudaGetLastError();\n}\n\n";
  }
  std::vector<File> files() const {
    const std::string header =
        banner() + "// Matrices are by columns; arrays of one call must not overlap.\n" +
        lines_of_layout("//   ", "\n") + "#pragma once\n#include <stddef.h>\n\ntypedef " + scalar() + " " + real_ +
        ";\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n/// Version, robot, and what the numbers of the arrays "
        "are.\n" +
        "extern const char " + robot_ + "_layout[];\n// Arrays of the device, as [number][state], or with rows as " +
        "[state][number], for any number of states; a cudaError_t.\n" + declarations_ +
        "#ifdef __cplusplus\n}\n#endif\n\n#if defined(__CUDACC__) || defined(CORIO_DEVICE)\n#define " + robot_ +
        "_piece static __device__ __noinline__ void\n" + helpers() + code_ + "#endif\n";
    const std::string source =
        banner() + "#include \"" + robot_ + ".cuh\"\n\n#ifndef CORIO_LAUNCH\n" +
        "#define CORIO_LAUNCH(kernel, blocks, threads, stream, ...) kernel<<<blocks, threads, 0, "
        "stream>>>(__VA_ARGS__)\n" +
        "#endif\n#define CORIO_THREADS 64\n#ifndef CORIO_BOUNDS\n#define CORIO_BOUNDS(blocks) "
        "__launch_bounds__(CORIO_THREADS, blocks)\n#endif\n#ifndef CORIO_CHUNK\n" +
        "#define CORIO_CHUNK ((size_t)65536)\n#endif\n\nextern " + layout_string() +
        "\n/// From [number][state] to [state][number], in tiles.\nstatic __global__ void " + robot_ + "_turn(const " +
        real_ + "* from, " + real_ + "* to, unsigned numbers, unsigned states) {\n  __shared__ " + real_ +
        " tile[32][33];\n  const unsigned first_state = blockIdx.x * 32, first = blockIdx.y * 32;\n" +
        "  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) {\n" +
        "    const unsigned number = first + i / 32, state = first_state + i % 32;\n" +
        "    if (number < numbers && state < states) tile[i / 32][i % 32] = from[(size_t)number * states + state];\n  "
        "}\n" +
        "  __syncthreads();\n  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) {\n" +
        "    const unsigned state = first_state + i / 32, number = first + i % 32;\n" +
        "    if (number < numbers && state < states) to[(size_t)state * numbers + number] = tile[i % 32][i / 32];\n  "
        "}\n}\n\n" +
        kernels_;
    return {{robot_ + ".cuh", header}, {robot_ + ".cu", source}};
  }

 private:
  /// Blocks that share a multiprocessor, so that each thread has 65536 / (64 blocks) registers, as measured on an H200:
  /// code that does not fit into the memory for instructions waits for them, the less the more threads there are.
  int blocks_at_once(const Recording& f, const Schedule& s) const {
    if (!language_.single_precision) return 4;
    const int length = s.operations + 2 * f.num_outputs();
    if (length > 9000) return s.pieces.size() > 1 || s.alive <= 256 ? 8 : 4;
    if (length > 5000) return 4;
    return s.alive <= 150 ? 8 : s.alive <= 220 ? 6 : 4;
  }
  /// Where number k of a result is, in one instruction: from the product of 64 bits compilers make several.
  std::string helpers() const {
    const std::string size = language_.single_precision ? "4" : "8";
    return "#ifdef __CUDA_ARCH__\ntemplate <unsigned k>\nstatic __device__ __forceinline__ " + real_ + "* " + robot_ +
           "_at(" + real_ + "* x, unsigned stride) {\n  " + real_ +
           "* at;\n  asm(\"mad.wide.u32 %0, %1, %2, %3;\" : \"=l\"(at) : \"r\"(stride), \"n\"(k * " + size +
           "), \"l\"(x));\n  return at;\n}\n#else\n" + "template <unsigned k>\nstatic __device__ __forceinline__ " +
           real_ + "* " + robot_ + "_at(" + real_ +
           "* x, unsigned stride) {\n  return x + (size_t)k * stride;\n}\n#endif\n\n" + "struct " + robot_ +
           "_sincos_of {\n  " + real_ + " sine, cosine;\n};\n/// Not inlined, as the " +
           "reduction of large angles is long.\nstatic __device__ __noinline__ " + robot_ + "_sincos_of " + robot_ +
           "_sincos(" + real_ + " angle) {\n  " + robot_ + "_sincos_of x;\n  " +
           (language_.single_precision ? "sincosf" : "sincos") + "(angle, &x.sine, &x.cosine);\n  return x;\n}\n\n";
  }

  std::string declarations_, kernels_;
};

}  // namespace corio::codegen
