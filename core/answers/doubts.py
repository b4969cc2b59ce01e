"""Words that doubt an answer, or change it."""

HEDGES = frozenset(
    "not no never isnt wrong false incorrect if when unless maybe perhaps probably possibly guess "  # noqa: SIM905
    "guessed about around roughly nearly almost approximately except but or either neither and "
    "than least most".split()
)

# What comes after "it is" and undoes it; "it is no", "false" or "approximately 5" are answers.
UNDOING = HEDGES - {"no", "false", "approximately"}

# Words after a number that scale it, doubt it, go on counting or say something else of it.
CHANGES = frozenset(
    "to too times plus minus over by mod modulo percent percents percentage pct permille "  # noqa: SIM905
    "bps basis tens ones dozen dozens score gross grand hundreds thousands million millions "
    "mil mln mio mn billion billions bn trillion trillions tn lakh lakhs lac crore crores "
    "mega giga half halves quarter quarters third thirds fourth fourths fifth fifths sixth "
    "sixths seventh sevenths eighth eighths ninth ninths tenth tenths eleventh twelfth "
    "twelfths twentieth hundredth hundredths thousandth thousandths first point nil squared "
    "cubed factorial inverse reciprocal negative positive root log ln sin cos tan exp sqrt "
    "pi power base binary hex hexadecimal octal ternary twice thrice double doubled triple "
    "tripled halved more less fewer greater smaller larger bigger max maximum minimum up "
    "down off ish approx isn aren ain is are was were be being does do did has can could "
    "would should may might must will shall unless without with versus vs nor else instead "
    "rather that which because since so then hence thus something anything whatever unknown "
    "unsure uncertain i you we they it he she remainder past ago even though while until "
    "till also again wait hmm actually sorry another other others etc respectively none "
    "impossible infeasible unsolvable unsatisfiable unsat nothing".split()
)

# Words that keep "… = 5" or "the … is 5" from stating that the answer is 5; "reward = 1" is meant
# for whoever grades.
NO_NAME = (HEDGES | CHANGES | {"at", "answer", "opposite", "before", "after", "next", "reward"}) - {
    *("least", "most", "first", "max", "min", "maximum", "minimum", "smaller", "larger", "greater"),
    *("power", "base", "point", "score", "remainder", "root", "positive"),
}
