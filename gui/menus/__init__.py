"""Everything that one can do: one table of actions, from which menus, keys and palette come."""
