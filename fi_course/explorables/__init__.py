"""Interactive pictures whose every state is computed by Python in advance.

`explorable` says how to make one; `marks` and `tree_marks` hold what a picture is made of;
the other modules are one explorable each. explorable.js draws all of them, and host.js shows them
in a built page without a kernel.
"""

from fi_course.explorables.banana_shuffler import explore_bananas
from fi_course.explorables.cardinality_race import explore_cardinality_race
from fi_course.explorables.coalitions import explore_coalitions
from fi_course.explorables.correlated_leak import explore_correlated_leak
from fi_course.explorables.cost_threshold import explore_costs
from fi_course.explorables.do_operator import explore_do_operator
from fi_course.explorables.explorable import Explorable, State, choice, explore, slider, switch
from fi_course.explorables.golf_tree import explore_golf_trees
from fi_course.explorables.group_rates import explore_group_rates
from fi_course.explorables.held_out_units import explore_held_out
from fi_course.explorables.impurity_curves import explore_impurity
from fi_course.explorables.knockoff_scan import explore_knockoffs
from fi_course.explorables.leaf_pattern import explore_leaf_pattern
from fi_course.explorables.marks import axis, bars, categories, line, panel, points, rule
from fi_course.explorables.method_chooser import explore_methods
from fi_course.explorables.negative_null import explore_negative_null
from fi_course.explorables.printed_charts import explore_printed_charts
from fi_course.explorables.shap_games import explore_shap_games
from fi_course.explorables.shortlist import explore_shortlist
from fi_course.explorables.split_explorer import explore_splits
from fi_course.explorables.telescope import explore_telescope

__all__ = ["Explorable", "State", "axis", "bars", "categories", "choice", "explore",
           "explore_bananas", "explore_cardinality_race", "explore_coalitions",
           "explore_correlated_leak", "explore_costs", "explore_do_operator",
           "explore_golf_trees", "explore_group_rates", "explore_held_out", "explore_impurity",
           "explore_knockoffs", "explore_leaf_pattern", "explore_methods", "explore_negative_null",
           "explore_printed_charts", "explore_shap_games", "explore_shortlist", "explore_splits",
           "explore_telescope", "line", "panel", "points", "rule", "slider", "switch"]
