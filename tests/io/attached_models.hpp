#pragma once

#include <string>

/// A model that tests attach, and the scene that attaches it.
namespace corio::test {

/// An arm whose units, axes, classes and limits differ from those in <compiler> and <default> of the scene below.
inline constexpr const char* arm = R"(<mujoco model="arm">
  <compiler angle="radian" eulerseq="ZYX" autolimits="false" boundmass="0.5"/>
  <option gravity="0 0 1"/>
  <default class="own">
    <joint damping="3" range="-1 2" limited="true"/>
    <default class="soft"><joint stiffness="5"/><geom density="200"/></default>
  </default>
  <worldbody>
    <geom size=".3" pos="0 .2 0"/>
    <frame pos="1 0 0" euler="0 0 1"><frame name="rail" pos="0 1 0" euler=".1 .2 .3" childclass="soft">
      <body name="upper" pos="0 0 1" euler=".4 .5 .6">
        <joint name="j" axis="1 1 0"/><geom name="g" type="capsule" size=".1 .2"/><site name="s" pos="0 1 0"/>
        <body name="lower" pos="0 .5 0">
          <joint axis="0 0 1" class="main" range="-.5 .5"/><joint type="slide" name="k"/><geom size=".1" mass=".1"/>
        </body>
      </body>
    </frame></frame>
    <body name="other"><joint name="o"/><geom size=".1"/></body>
  </worldbody>
  <equality>
    <connect name="grip" body1="upper" body2="lower" anchor=".1 0 0"/>
    <joint name="coupled" joint1="j" joint2="k" polycoef="0 2 0 0 0"/>
    <joint joint1="j" joint2="o"/>
  </equality>
  <tendon><fixed name="t"><joint joint="j" coef="1"/></fixed><fixed name="u"><joint joint="o" coef="1"/></fixed></tendon>
  <actuator><motor name="m" joint="j"/><motor name="pull" tendon="t"/><motor joint="o"/></actuator>
</mujoco>)";

/// The scene's own units are degrees, and its classes have the same names.
inline std::string scene(const std::string& in_body, const std::string& in_world = "") {
  return R"(<mujoco><compiler angle="degree" autolimits="true"/><asset><model name="arm" file="parts/arm.xml"/></asset>
  <default><joint damping="7"/><default class="soft"><joint damping="8"/></default></default>
  <worldbody><frame childclass="soft" euler="0 0 90"><body name="cart" pos="1 2 3">
    <joint name="j" axis="0 1 0" range="-90 90"/><geom size=".5"/><frame euler="30 0 0">)" +
         in_body + "</frame></body></frame>" + in_world + "</worldbody></mujoco>";
}

}  // namespace corio::test
