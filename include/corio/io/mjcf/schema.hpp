#pragma once

#include "corio/io/schema.hpp"

/// The elements and attributes of MJCF in any version of MuJoCo from 2.2.0 to 4.0.0, as they were known on 28 November
/// 2026, whether they are read or not.
namespace corio { inline namespace CORIO_ABI { namespace mjcf { namespace detail {

// clang-format off
inline constexpr xml::Row mjcf_rows[] = {
    {"@turn", "quat axisangle xyaxes zaxis euler"},
    {"mujoco", "model", "compiler option size statistic visual default extension custom asset worldbody contact "
                        "deformable equality tendon actuator sensor keyframe"},
    {"compiler", "autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle fitaabb "
                 "eulerseq meshdir texturedir assetdir discardvisual convexhull usethread fusestatic inertiafromgeom "
                 "inertiagrouprange exactmeshinertia saveinertial savecompiled savecanonical alignfree conflict", "lengthrange?"},
    {"option", "timestep apirate impratio tolerance ls_tolerance noslip_tolerance mpr_tolerance ccd_tolerance "
               "sleep_tolerance gravity wind magnetic density viscosity o_margin o_solref o_solimp o_friction "
               "integrator collision cone jacobian solver iterations ls_iterations noslip_iterations mpr_iterations "
               "ccd_iterations sdf_iterations sdf_initpoints actuatorgroupdisable", "flag?"},
    {"flag", "constraint equality frictionloss limit contact passive spring damper gravity clampctrl warmstart "
             "filterparent actuation refsafe sensor midphase eulerdamp autoreset nativeccd island multiccd override "
             "energy fwdinv invdiscrete sensornoise sleep diagexact ipc speculative"},

    {"@kinds", "general motor position velocity intvelocity damper cylinder muscle adhesion dcmotor orientation pid"},
    {"default", "class", "mesh? material? joint? geom? site? camera? light? pair? equality? tendon? @kinds? default"},
    {"asset", "", "texture hfield mesh skin material model"},
    {"model", "name file content_type"},
    {"default mesh", "@mesh"},
    {"mesh", "name class @mesh content_type file vertex normal texcoord face refpos refquat smoothnormal builtin params "
             "material", "plugin"},
    {"@mesh", "scale maxhullvert inertia"},

    {"@contents", "inertial? joint freejoint geom site body frame camera light plugin composite flexcomp replicate "
                  "attach"},
    {"worldbody", "", "@contents"},
    {"body", "name childclass pos @turn mocap gravcomp sleep simple user", "@contents"},
    {"frame", "name childclass pos @turn", "@contents"},
    {"replicate", "count offset euler sep prefix childclass", "@contents"},
    {"attach", "model body frame prefix"},
    {"inertial", "pos @turn mass diaginertia fullinertia"},
    {"default joint", "@joint"},
    {"joint", "name class @joint"},
    {"@joint", "type group pos axis springdamper limited actuatorfrclimited actuatorforcelimited solreflimit "
               "solimplimit solreffriction solimpfriction stiffness range actuatorfrcrange actuatorforcerange "
               "actuatorgravcomp margin ref springref springyield armature damping frictionloss user"},
    {"freejoint", "name group align"},
    {"default geom", "@geom"},
    {"geom", "name class @geom", "plugin"},
    {"@geom", "type contype conaffinity condim group priority size material friction mass density shellinertia solmix "
              "solref solimp margin gap surfacevel adhesion fromto pos @turn hfield mesh fitscale rgba fluidshape "
              "fluidcoef user"},
    {"default site", "@site"},
    {"site", "name class @site"},
    {"@site", "type group pos @turn material mesh size fromto rgba user"},

    {"default equality", "@equality"},
    {"equality", "", "connect weld joint tendon distance flex flexvert flexstrain"},
    {"@equality", "active solref solimp"},
    {"connect", "name class @equality body1 body2 anchor site1 site2"},
    {"weld", "name class @equality body1 body2 relpose anchor site1 site2 torquescale"},
    {"equality joint", "name class @equality joint1 joint2 polycoef"},
    {"equality tendon", "name class @equality tendon1 tendon2 polycoef"},
    {"distance", "name class @equality geom1 geom2 distance"},
    {"flex", "name class @equality flex"},
    {"flexvert", "name class @equality flex"},
    {"flexstrain", "name class @equality flex cell"},

    {"default tendon", "@tendon width material rgba"},
    {"tendon", "", "spatial fixed"},
    {"@tendon", "group limited range solreflimit solimplimit solreffriction solimpfriction frictionloss springlength "
                "springyield margin stiffness damping user"},
    {"@force", "actuatorfrclimited actuatorfrcrange armature"},
    {"spatial", "name class @tendon @force width material rgba", "site geom pulley"},
    {"spatial site", "site"}, {"spatial geom", "geom sidesite"}, {"pulley", "divisor"},
    {"fixed", "name class @tendon @force", "joint"},
    {"fixed joint", "joint coef"},

    // For each kind of actuator: the attributes that <default> may give, then all attributes.
    {"actuator", "", "@kinds plugin"},
    {"@control", "group user nsample interp delay ctrlrange"},
    {"@effort", "@control forcelimited forcerange"},
    {"@gear", "gear cranklength damping armature"},
    {"@motor", "@effort @gear ctrllimited"},
    {"@length", "name class lengthrange joint jointinparent tendon slidersite cranksite"},
    {"@drive", "@length site refsite"},
    {"default general", "@general"}, {"general", "@drive body @general"},
    {"@general", "@motor actlimited actrange actdim actearly input velrange ffrange dyntype gaintype biastype dynprm "
                 "gainprm biasprm"},
    {"default motor", "@motor"}, {"motor", "@drive @motor"},
    {"default position", "@position"}, {"position", "@drive @position"},
    {"@position", "@motor inheritrange kp kv dampratio timeconst"},
    {"default velocity", "@motor kv"}, {"velocity", "@drive @motor kv"},
    {"default intvelocity", "@intvelocity"}, {"intvelocity", "@drive @intvelocity"},
    {"@intvelocity", "@motor actlimited actrange inheritrange kp kv dampratio"},
    {"default damper", "@effort @gear kv"}, {"damper", "@drive @effort @gear kv"},
    {"default cylinder", "@cylinder"}, {"cylinder", "@drive @cylinder"},
    {"@cylinder", "@motor timeconst area diameter bias"},
    {"default muscle", "@muscle"}, {"muscle", "@length @muscle tausmooth"},
    {"@muscle", "@motor timeconst range force scale lmin lmax vmax fpmax fvmax"},
    {"default adhesion", "@effort gain"}, {"adhesion", "name class body @effort gain"},
    {"default dcmotor", "@dcmotor"}, {"dcmotor", "@drive @dcmotor"},
    {"@dcmotor", "@control @gear ctrllimited motorconst resistance nominal saturation inductance cogging controller "
                 "thermal lugre input"},
    {"default orientation", "@orientation"}, {"orientation", "name class joint site refsite @orientation"},
    {"@orientation", "@effort kp kv dampratio input"},
    {"default pid", "@pid"}, {"pid", "@drive @pid"},
    {"@pid", "@motor posrange velrange ffrange inheritrange kp kv dampratio ki imax slewmax input"},
    {"actuator plugin", "@length site plugin instance @motor actlimited actrange actdim actearly dyntype dynprm",
     "config"},

    {"keyframe", "", "key"},
    {"key", "name time qpos qvel act mpos mquat ctrl"},
};
// clang-format on

inline constexpr xml::Schema schema{mjcf_rows};

/// Returns whether an unknown attribute may belong to a later version and change neither the tree nor inertias nor
/// frames: an option or flag of the simulation, or a parameter of the solver of constraints. A name near to a known one
/// counts as misspelt.
inline bool may_be_newer(std::string_view element, std::string_view attribute, const xml::Row& row) {
  const bool has_solver = schema.has(row.attributes, "solref") || schema.has(row.attributes, "solreflimit");
  const bool of_solver = attribute.starts_with("sol") && has_solver;
  return (element == "option" || element == "flag" || of_solver) &&
         !schema.advice(row.attributes, attribute).starts_with("; did you mean");
}

}}}}  // namespace corio::mjcf::detail
