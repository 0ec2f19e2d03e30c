#pragma once

// Stands in for a factory and its registration. The flags tell the host whether two plugins differ in them.
#define PLUGINLIB_EXPORT_CLASS(Class, Base)                                              \
  extern "C" __attribute__((visibility("default"))) Base* create() { return new Class; } \
  extern "C" __attribute__((visibility("default"))) int flags() { return corio_process::own_flags; }
