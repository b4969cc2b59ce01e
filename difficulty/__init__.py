"""How hard an item is for a policy: sampling, posteriors, knob model, targeting, schedules."""
