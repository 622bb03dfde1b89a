"""URDF files that tests write themselves."""

from __future__ import annotations

import regraft as rg

ARM = """<?xml version="1.0"?>
<robot name="arm" version="1.0">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base">
    <inertial>
      <origin xyz="0 0 0.1" rpy="0 0 0"/>
      <mass value="2"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/>
    </inertial>
    <visual><geometry><box size="0.2 0.2 0.2"/></geometry><material name="grey"/></visual>
    <collision name="foot"><origin xyz="0 0 0.1"/><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.2" rpy="0 1.5707963267948966 0"/>
    <parent link="base"/>
    <child link="upper"/>
    <axis xyz="0 0 2"/>
    <limit lower="-1" upper="2" effort="30" velocity="4"/>
    <dynamics damping="0.3" friction="0.2"/>
    <safety_controller k_velocity="10" soft_lower_limit="-0.9"/>
    <calibration rising="0.1"/>
  </joint>
  <link name="upper">
    <inertial>
      <origin xyz="0 0.05 -0.2" rpy="0.3 -0.2 0.5"/>
      <mass value="1.5"/>
      <inertia ixx="0.03" ixy="0.001" ixz="0" iyy="0.02" iyz="0" izz="0.015"/>
    </inertial>
    <visual name="skin">
      <origin xyz="0 0 -0.2" rpy="0 0.1 0"/>
      <geometry><cylinder radius="0.05" length="0.4"/></geometry>
      <material name="red"><color rgba="1 0 0 0.5"/></material>
    </visual>
    <collision name="skin">
      <origin xyz="0 0 -0.2" rpy="0 0.1 0"/>
      <geometry><cylinder radius="0.05" length="0.4"/></geometry>
    </collision>
    <contact><lateral_friction value="1.0"/></contact>
  </link>
  <joint name="wheel" type="continuous">
    <origin xyz="0 0 -0.4"/>
    <parent link="upper"/>
    <child link="hub"/>
    <axis xyz="0 1 0"/>
  </joint>
  <link name="hub">
    <visual><geometry><mesh filename="package://arm_parts/meshes/hub.stl" scale="0.001 0.001 0.001"/></geometry></visual>
    <collision><geometry><capsule radius="0.02" length="0.1"/></geometry></collision>
  </link>
  <joint name="slide" type="prismatic">
    <parent link="hub"/>
    <child link="finger"/>
    <limit lower="0" upper="0.04" effort="5" velocity="0.1"/>
    <mimic joint="shoulder" multiplier="0.02" offset="0.01"/>
  </joint>
  <link name="finger">
    <inertial><mass value="0.1"/><inertia ixx="1e-5" iyy="1e-5" izz="1e-5"/></inertial>
  </link>
  <joint name="tip_joint" type="fixed">
    <origin xyz="0.1 0 0" rpy="0 0 1"/>
    <parent link="finger"/>
    <child link="tip"/>
  </joint>
  <link name="tip"/>
  <transmission name="shoulder_drive">
    <type>transmission_interface/SimpleTransmission</type>
    <joint name="shoulder"><hardwareInterface>EffortJointInterface</hardwareInterface></joint>
    <actuator name="motor"><mechanicalReduction>50</mechanicalReduction></actuator>
  </transmission>
  <gazebo reference="upper"><material>Gazebo/Red</material></gazebo>
</robot>
"""


def written(folder, text, name="robot.urdf"):
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def read(folder, text=ARM, **options):
    """What a text has, as if it were a file."""
    return rg.read(written(folder, text), **options)


def chain(links):
    """A robot of links in a row."""
    link = '<link name="l{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
    joint = '<joint name="j{0}" type="continuous"><parent link="l{1}"/><child link="l{0}"/><axis xyz="0 0 1"/></joint>'
    parts = [link.format(0), *(link.format(i) + joint.format(i, i - 1) for i in range(1, links))]
    return f'<robot name="chain">{"".join(parts)}</robot>'
