// Defines macros of headers that a user's file may include before corio. Where corio uses the name of a macro, the
// macro stops the compiler, or changes nothing. This file is included after the standard library and the libraries that
// corio uses, many of which do not tolerate these macros either.
#pragma GCC system_header  // some of these are there already
#define CORIO_FOREIGN corio_uses_a_macro_of_another_header ]

// <complex.h>, <f2c.h>
#define I CORIO_FOREIGN
#define doublereal CORIO_FOREIGN

// <X11/X.h>, <X11/Xlib.h>, <X11/Xutil.h>
#define Above CORIO_FOREIGN
#define AllValues CORIO_FOREIGN
#define Always CORIO_FOREIGN
#define Below CORIO_FOREIGN
#define Bool CORIO_FOREIGN
#define ClientMessage CORIO_FOREIGN
#define Complex CORIO_FOREIGN
#define Convex CORIO_FOREIGN
#define CurrentTime CORIO_FOREIGN
#define CursorShape CORIO_FOREIGN
#define DestroyAll CORIO_FOREIGN
#define Expose CORIO_FOREIGN
#define FocusIn CORIO_FOREIGN
#define FocusOut CORIO_FOREIGN
#define GrayScale CORIO_FOREIGN
#define InputOnly CORIO_FOREIGN
#define KeyPress CORIO_FOREIGN
#define KeyRelease CORIO_FOREIGN
#define MappingNotify CORIO_FOREIGN
#define NoSymbol CORIO_FOREIGN
#define None CORIO_FOREIGN
#define Nonconvex CORIO_FOREIGN
#define Opposite CORIO_FOREIGN
#define ParentRelative CORIO_FOREIGN
#define RectangleIn CORIO_FOREIGN
#define RectangleOut CORIO_FOREIGN
#define RectanglePart CORIO_FOREIGN
#define Status CORIO_FOREIGN
#define Success CORIO_FOREIGN
#define TrueColor CORIO_FOREIGN
#define Unsorted CORIO_FOREIGN
#ifndef True  // of Qhull, whose macros use them
#define False CORIO_FOREIGN
#define True CORIO_FOREIGN
#endif
#define XValue CORIO_FOREIGN
#define YSorted CORIO_FOREIGN
#define YValue CORIO_FOREIGN

// <windows.h>
#define min(a, b) CORIO_FOREIGN
#define max(a, b) CORIO_FOREIGN
#define Yield() CORIO_FOREIGN
#define ABSOLUTE CORIO_FOREIGN
#define BOOL CORIO_FOREIGN
#define CALLBACK CORIO_FOREIGN
#define CONST CORIO_FOREIGN
#define CreateFile CORIO_FOREIGN
#define CreateWindow CORIO_FOREIGN
#define DELETE CORIO_FOREIGN
#define DIFFERENCE CORIO_FOREIGN
#define DeleteFile CORIO_FOREIGN
#define ERROR CORIO_FOREIGN
#define FAR CORIO_FOREIGN
#define FALSE CORIO_FOREIGN
#define GetCurrentTime CORIO_FOREIGN
#define GetMessage CORIO_FOREIGN
#define GetObject CORIO_FOREIGN
#define IGNORE CORIO_FOREIGN
#define IN CORIO_FOREIGN
#define INFINITE CORIO_FOREIGN
#define LoadString CORIO_FOREIGN
#define NEAR CORIO_FOREIGN
#define NO_ERROR CORIO_FOREIGN
#define OPTIONAL CORIO_FOREIGN
#define OUT CORIO_FOREIGN
#define PURE CORIO_FOREIGN
#define RELATIVE CORIO_FOREIGN
#define SendMessage CORIO_FOREIGN
#define STRICT CORIO_FOREIGN
#define THIS CORIO_FOREIGN
#define TRANSPARENT CORIO_FOREIGN
#define TRUE CORIO_FOREIGN
#define VOID CORIO_FOREIGN
#define far CORIO_FOREIGN
#define hyper CORIO_FOREIGN
#define interface CORIO_FOREIGN
#define near CORIO_FOREIGN
#define pascal CORIO_FOREIGN
#define small CORIO_FOREIGN

// Qt
#define emit CORIO_FOREIGN
#define foreach(a, b) CORIO_FOREIGN
#define forever CORIO_FOREIGN
#define signals CORIO_FOREIGN
#define slots CORIO_FOREIGN

// <sys/param.h>, <sys/sysmacros.h>, <termios.h>, <signal.h>, <math.h>, and compilers with GNU's names
#define major(device) CORIO_FOREIGN
#define makedev(a, b) CORIO_FOREIGN
#define minor(device) CORIO_FOREIGN
#define MAX(a, b) CORIO_FOREIGN
#define MIN(a, b) CORIO_FOREIGN
#define howmany(a, b) CORIO_FOREIGN
#define powerof2(x) CORIO_FOREIGN
#define roundup(a, b) CORIO_FOREIGN
#define setbit(a, b) CORIO_FOREIGN
#define B0 CORIO_FOREIGN
#define B50 CORIO_FOREIGN
#define DOMAIN CORIO_FOREIGN
#define ECHO CORIO_FOREIGN
#define OVERFLOW CORIO_FOREIGN
#define P_ALL CORIO_FOREIGN
#define SING CORIO_FOREIGN
#define UNDERFLOW CORIO_FOREIGN
#define i386 CORIO_FOREIGN
#define linux CORIO_FOREIGN
#define sa_handler CORIO_FOREIGN
#define si_value CORIO_FOREIGN
#define unix CORIO_FOREIGN

// Arduino, gettext, log libraries
#define F(text) CORIO_FOREIGN
#define _(text) CORIO_FOREIGN
#define bit(b) CORIO_FOREIGN
#define constrain(x, a, b) CORIO_FOREIGN
#define degrees(x) CORIO_FOREIGN
#define radians(x) CORIO_FOREIGN
#define sq(x) CORIO_FOREIGN
#define CHECK(x) CORIO_FOREIGN
#define DEBUG CORIO_FOREIGN
#define DEFAULT CORIO_FOREIGN
#define EPS CORIO_FOREIGN
#define HIGH CORIO_FOREIGN
#define INFO CORIO_FOREIGN
#define LOG(x) CORIO_FOREIGN
#define LOW CORIO_FOREIGN
#define OUTPUT CORIO_FOREIGN
#define PI CORIO_FOREIGN
#define TWO_PI CORIO_FOREIGN
