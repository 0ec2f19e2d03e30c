#pragma once

#include <string>
#include <vector>

/// Small MJCF files that together use every feature that is read; MuJoCo 2.2.2 reads them as well.
namespace corio::test {

struct NamedText {
  const char* name;
  std::string text;
  bool oblique = false;  // MuJoCo has to find principal axes of inertia
};

inline std::vector<NamedText> mjcf_models() {
  const std::string inertial = R"(<inertial pos=".1 -.2 .3" mass="1.5" diaginertia=".02 .03 .04"/>)";
  return {
      {"hinges and slides with pos, ref, limits and passive terms", R"(<mujoco model="arm">
  <option gravity="1 2 -9"/>
  <compiler autolimits="true"/>
  <worldbody>
    <body name="upper" pos="0.3 0 1" euler="10 20 30">
      <joint name="shoulder" axis="0 2 0.5" pos="0.1 0.02 -0.3" ref="25" range="-120 60" damping="0.4" stiffness="3"
             springref="-40" armature="0.2" frictionloss="0.1"/>)" + inertial +
                                                                        R"(
      <body name="lower" pos="0 0.2 0.5">
        <joint name="out" type="slide" axis="1 1 0" ref="0.3" range="-0.5 0.5" pos="0 1 2" stiffness="7" springref="0.2"
               damping="1.5"/>
        <joint name="elbow" pos="0 0.1 0" axis="0 1 0" ref="-30" limited="true" range="-1 100"/>
        <joint pos="0.2 0 0.1" axis="1 0 0" limited="false" range="-1 1" armature="0.05"/>
        <inertial pos="0 0 0.2" mass="0.8" diaginertia="0.01 0.012 0.005" euler="5 -50 80"/>
        <site name="tip" pos="0 0 0.7" axisangle="1 2 3 50"/>
        <body name="hand" pos="0 0 0.6"><joint axis="0 0 -1" name="wrist"/>)" +
                                                                        inertial + R"(</body>
      </body>
    </body>
  </worldbody>
  <keyframe>
    <key name="home" time="0.5" qpos="0.1 0.2 0.3 0.4 0.5" qvel="1 2 3 4 5"/>
    <key/>
    <key qpos="1 2 3 4 5"/>
  </keyframe>
</mujoco>)"},
      {"springs and dampers by time constants", R"(<mujoco>
  <worldbody>
    <body name="a" pos="0.3 0 1"><joint axis="0 1 0" ref="30" springdamper="0.5 0.8" springref="20" armature="0.1"/>)" +
                                                    inertial + R"(
      <body name="b" pos="0 0.2 0.5"><joint type="ball" springdamper="0.2 1.5" damping="7"/>)" +
                                                    inertial + R"(
        <body name="c" pos="0 0 0.3"><joint type="slide" axis="1 2 0" ref="0.1" springdamper="2 0.1"/>)" +
                                                    inertial + R"(</body>
        <body name="d" pos="0.5 0 0"><joint springdamper="0 0" stiffness="3"/>)" +
                                                    inertial + R"(</body>
      </body>
    </body>
  </worldbody>
</mujoco>)"},
      {"flags that disable passive forces", R"(<mujoco>
  <option><flag passive="disable" gravity="disable"/></option>
  <option><flag gravity="enable"/></option>
  <worldbody>
    <body name="a"><joint axis="0 1 0" stiffness="3" springref="20" damping="2"/>)" +
                                                inertial + R"(
      <body name="b"><joint type="ball" springdamper="0.2 1.5"/>)" +
                                                inertial + R"(</body>
    </body>
  </worldbody>
</mujoco>)"},
      {"orientations in radians",
       R"(<mujoco>
  <compiler angle="radian" eulerseq="ZyX"/>
  <worldbody>
    <body name="a" quat="2 0.4 -1 0.6" pos="1 2 3"><joint axis="0 0 3" springref="0.4" stiffness="2" ref="0.3"/>)" +
           inertial + R"(
      <body name="b" axisangle="1 -2 0.5 1.1"><joint type="hinge" axis="1 0 0"/>
        <inertial pos="0 0 0" quat="1 1 0 0" mass="2" diaginertia="1 2 2.5"/>
        <body name="c" xyaxes="1 2 0.5 -1 1 0.1" pos="0 0 1"><joint type="slide" axis="0 1 0"/>
          <inertial pos="1 0 0" xyaxes="0 1 0 0 0 1" mass="2" diaginertia="1 2 2.5"/>
          <body name="d" zaxis="1 2 -0.5"><joint axis="1 0 0"/>
            <inertial pos="1 0 0" zaxis="-1 0.2 0" mass="2" diaginertia="1 2 2.5"/>
            <body name="e" zaxis="0 0 -2"><joint axis="1 1 0"/>
              <inertial pos="0 1 0" axisangle="0 1 1 0.7" mass="2" diaginertia="1 2 2.5"/>
              <body name="f" euler="0.3 -0.7 1.9"><joint axis="1 1 0"/>
                <inertial pos="0 1 0" mass="2" fullinertia="1.1 2 2.5 0.1 -0.2 0.3"/>
                <site name="g" fromto="0 0 0 1 2 3" type="capsule" size="0.1"/>
              </body>
            </body>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>)",
       true},
      {"inertia of geoms",
       R"(<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="sphere"><joint axis="0 1 0"/><geom size="0.2" pos="0.3 0 0"/></body>
    <body name="capsule"><joint axis="0 1 0"/><geom type="capsule" size="0.1 0.3" euler="30 40 50"/></body>
    <body name="capsule by ends"><joint axis="1 0 0"/><geom type="capsule" size="0.1" fromto="0 0 0 .1 .2 .3"/></body>
    <body name="cylinder"><joint axis="0 1 0"/><geom type="cylinder" size="0.1 0.3" mass="4" pos="1 0 0"/></body>
    <body name="cylinder by ends"><joint axis="0 1 1"/>
      <geom type="cylinder" size="0.1 7" fromto="0 0 1 .1 .2 .3" density="50"/></body>
    <body name="box"><joint axis="0 1 0"/><geom type="box" size="0.1 0.2 0.3" quat="1 2 3 4" density="600"/></body>
    <body name="box by ends"><joint axis="0 1 1"/><geom type="box" size="0.1" fromto="0 0 1 1 .2 .3"/></body>
    <body name="ellipsoid"><joint axis="1 1 0"/><geom type="ellipsoid" size="0.1 0.2 0.3" zaxis="1 0 1"/></body>
    <body name="ellipsoid by ends"><joint axis="1 1 0"/><geom type="ellipsoid" size="0.1" fromto="0 0 0 0 0 1"/></body>
    <body name="several"><freejoint/>
      <geom type="box" size="0.1 0.2 0.3" pos="1 0 0" mass="3"/>
      <geom type="capsule" size="0.1 0.2" pos="0 1 0" euler="10 0 0"/>
      <geom type="sphere" size="0.5" mass="0"/>
      <geom size="0.2" pos="0 0 1"/>
      <body name="welded" pos="0 1 1" euler="0 90 0"><geom type="cylinder" size="0.3 0.1"/></body>
    </body>
    <body name="given and geom"><freejoint/><geom size="5"/>)" +
           inertial + R"(</body>
  </worldbody>
</mujoco>)",
       true},
      {"inertia of geoms of some groups, whatever else is given", R"(<mujoco>
  <compiler inertiafromgeom="true" inertiagrouprange="1 2" discardvisual="false"/>
  <worldbody>
    <body name="a"><joint type="ball"/>)" + inertial + R"(
      <geom group="1" size="0.2" pos="0.1 0 0"/>
      <geom group="2" size="0.1" contype="0" conaffinity="0"/>
      <geom group="3" size="0.6"/>
      <geom size="0.6"/>
      <geom type="sphere" group="4" size="0.3"/>
    </body>
  </worldbody>
</mujoco>)",
       true},
      {"given inertias where no geom counts", R"(<mujoco>
  <compiler inertiafromgeom="true" inertiagrouprange="1 2"/>
  <worldbody>
    <body name="without geoms" pos="0 0 1"><joint axis="1 0 0"/>)" +
                                                  inertial +
                                                  R"(
      <body name="geoms of other groups" pos="0 1 0"><joint axis="0 1 0"/>)" +
                                                  inertial + R"(<geom size="0.2"/><geom group="3" size="0.1"/></body>
      <body name="a geom that counts" pos="0 1 0"><joint axis="0 1 0"/>)" +
                                                  inertial + R"(<geom group="2" size="0.2" pos="0.1 0 0"/></body>
    </body>
  </worldbody>
</mujoco>)"},
      {"least masses of massless geoms", R"(<mujoco>
  <compiler boundmass="0.5" boundinertia="0.1" inertiagrouprange="0 1"/>
  <worldbody>
    <body name="one geom" pos="1 2 3"><joint axis="1 0 0"/><geom size="0.1" mass="0" pos="0.5 0.6 0.7"/>
      <body name="none that counts" pos="0 0 1"><joint axis="0 1 0"/><geom group="2" size="0.1" pos="3 4 5"/></body>
      <body name="between points" pos="0 0 1"><joint axis="0 1 0"/>
        <geom type="capsule" size="0.1" density="0" fromto="0 0 0 0 1 2"/></body>
    </body>
  </worldbody>
</mujoco>)"},
      {"numbers of bodies without names where static ones are fused", R"(<mujoco>
  <compiler fusestatic="true" settotalmass="5"/>
  <worldbody>
    <body pos="1 0 0"><geom size="0.1"/><body pos="0 1 0"><joint axis="1 0 0"/><geom size="0.2" pos="1 0 0"/></body></body>
    <body mocap="true"><geom size="0.1"/></body>
    <body pos="2 0 0"><joint axis="0 1 0"/><geom size="0.3" pos="0 0 1"/>
      <body name="static" pos="0 0 1"><body><geom size="0.2"/></body>
        <body pos="0 3 0"><joint axis="0 0 1"/><geom size="0.1" pos="0 1 0"/></body></body></body>
  </worldbody>
</mujoco>)",
       true},
      {"and where MuJoCo 2 does not fuse them, since something could refer to them", R"(<mujoco>
  <compiler fusestatic="true" settotalmass="5"/>
  <worldbody>
    <body pos="1 0 0"><geom size="0.1"/><body pos="0 1 0"><joint axis="1 0 0"/><geom size="0.2" pos="1 0 0"/></body></body>
    <body pos="2 0 0"><joint axis="0 1 0"/><geom size="0.3" pos="0 0 1"/></body>
  </worldbody>
  <sensor><clock/></sensor>
</mujoco>)"},
      {"no inertia of geoms", R"(<mujoco>
  <compiler inertiafromgeom="false"/>
  <worldbody>
    <body name="a"><joint axis="1 0 0"/>)" +
                                  inertial + R"(<geom size="0.2"/>
      <body name="massless" pos="0 1 0"><geom size="0.2"/></body>
    </body>
  </worldbody>
</mujoco>)"},
      {"ball and free joints with springs and dampers", R"(<mujoco>
  <worldbody>
    <body name="base" pos="1 2 3" euler="30 20 10"><joint type="free" damping="0.3" frictionloss="0.2" pos="3 4 5"/>)" +
                                                            inertial + R"(
      <body name="leg" pos="0 0 -1"><joint name="hip" type="ball" pos="0.1 0 0.2" damping="0.7" stiffness="5"
          armature="0.3" range="0 80" limited="true" axis="1 0 0"/>)" +
                                                            inertial + R"(
        <body name="foot"><joint name="ankle x" axis="1 0 0"/><joint name="ankle y" type="ball" pos="1 0.5 0"/>)" +
                                                            inertial + R"(</body>
      </body>
      <body name="arm"><joint type="slide"/><joint type="ball"/>)" +
                                                            inertial + R"(</body>
    </body>
    <body name="second base"><freejoint name="loose"/>)" + inertial +
                                                            R"(</body>
  </worldbody>
  <keyframe><key qpos="0 0 1 1 0 0 0  1 0 0 0  0 0 1 0 0  2 0 1 0 0  5 6 7 0 1 0 0"/></keyframe>
</mujoco>)"},
      {"nested defaults", R"(<mujoco>
  <default>
    <joint damping="1" armature="0.1" axis="0 1 0"/>
    <geom density="500" size="0.3 0.2 0.1" quat="1 0 1 0"/>
    <site pos="0 0 1"/>
    <motor gear="3"/>
    <default class="slow">
      <joint damping="10" type="slide"/>
      <geom type="box"/>
      <default class="slow and stiff"><joint stiffness="9" springref="0.1"/></default>
    </default>
    <default class="heavy"><geom mass="7" euler="0 40 0"/><joint axis="1 0 0"/></default>
  </default>
  <default><joint frictionloss="0.5"/></default>
  <worldbody>
    <body name="plain"><joint/><geom/><site name="s"/>
      <body name="slow" childclass="slow" pos="0 0 1"><joint/><geom size="0.2"/>
        <body name="below"><joint axis="0 0 1"/><geom size="0.2 0.4"/><geom class="main" euler="10 20 30"/></body>
        <body name="stiff"><joint class="slow and stiff"/><joint class="main" pos="1 0 0"/><geom/></body>
        <body name="heavy" childclass="heavy"><joint/><geom/><geom type="capsule"/></body>
      </body>
    </body>
  </worldbody>
</mujoco>)"},
      {"bounds of mass and inertia",
       R"(<mujoco>
  <compiler boundmass="0.9" boundinertia="0.015" balanceinertia="true" settotalmass="20" coordinate="local"/>
  <worldbody>
    <body name="a"><joint axis="1 0 0"/>)" +
           inertial + R"(
      <body name="unbalanced" pos="0 0 1"><joint axis="0 1 0"/>
        <inertial pos="0 0 .1" mass="2" diaginertia="0.1 0.9 0.2" euler="10 20 30"/></body>
      <body name="light" pos="0 0 1"><joint axis="0 1 0"/>
        <inertial pos="0 0 .1" mass="0.2" fullinertia="0.01 0.02 0.02 0.001 0.002 0.003"/></body>
      <body name="nothing" pos="0.1 0.2 0.3" euler="5 0 0"/>
    </body>
    <body name="on the ground"><geom size="0.1"/></body>
  </worldbody>
</mujoco>)",
       true},
      {"total mass without the ground", R"(<mujoco>
  <compiler settotalmass="5" fusestatic="false"/>
  <worldbody>
    <body name="a"><body name="b" pos="0 1 0"><geom size="0.1"/><joint type="ball"/><geom size="0.2" pos="0 0 1"/></body>
      <geom size="1"/></body>
  </worldbody>
</mujoco>)",
       true},
      {"names", R"(<mujoco model="names">
  <worldbody>
    <body><joint/>)" +
                    inertial +
                    R"(<site name="hip"/><site/>
      <body name="hip" pos="0 1 0"><joint/><joint name="hip" pos="0.5 0 0"/>)" +
                    inertial + R"(
        <body name="foot" pos="0 1 0"/><body pos="0 2 0"><site name="foot"/></body></body></body>
    <body name="fixed" pos="1 1 1"><site name="end" euler="10 0 0"/></body>
    <camera name="c"/><light name="l" pos="0 0 1"/>
  </worldbody>
  <worldbody><body name="again"><joint name="hip_joint"/>)" +
                    inertial + R"(</body></worldbody>
  <actuator><motor joint="hip" gear="20"/></actuator>
  <equality><connect body1="foot" body2="again" anchor="0 0 1"/></equality>
  <tendon><fixed name="t"><joint joint="hip" coef="2"/></fixed></tendon>
  <sensor><jointpos joint="hip"/></sensor>
  <contact><exclude body1="foot" body2="again"/></contact>
</mujoco>)"},
      {"no gravity", R"(<mujoco>
  <option density="1.2" viscosity="0.1"><flag gravity="disable" contact="disable"/></option>
  <size nkey="0"/><visual/><statistic/><asset/><custom/>
  <worldbody><body name="a" mocap="true"><geom size="0.1"/></body>
    <body name="b"><joint axis="1 0 0"/>)" +
                         inertial + R"(</body></worldbody>
</mujoco>)"},
  };
}

}  // namespace corio::test
