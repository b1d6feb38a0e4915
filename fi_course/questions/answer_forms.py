"""How people write answers: the one table by which notebook, page and grader read them.

Python reads it in `parse_answer`; the book hands it to the page's judge (`book/script/judge.js`).
So it says only what both languages understand in the same way: no `\\w`, `\\d` or `\\b`, and `$1`
for a group in a replacement. Case never matters. Nothing is repeated without bounds that holds
another repetition, so that no text takes long to read.
"""

_QUOTES = "\"'`*“”‘’"
_LETTER = "a-zÀ-ÖØ-öø-ɏͰ-Ͽ"
_DECIMAL = r"(?:[0-9]+(?:[.,][0-9]+)?\.?|[.,][0-9]+)(?:e[+-]?[0-9]+)?"
_ABOUT = (
    r"(?:about|around|roughly|approximately|approx\.?|ca\.?|circa|nearly|almost|exactly|precisely"
    r"|just|only|at least|at most|more than|less than|above|below|over|under|from|up to|at|by"
    r"|(?:i|we) (?:get|got|find|found|think|say)|(?:makes|gives|should be|so|hence|therefore)"
    r"|(?:an? |the )?(?:rise|fall|drop|gain|loss|increase|decrease|total|mean|chance) of"
    r"|(?:(?:my |the )?(?:answer|result|value)|it|that)(?: is|'s)?)[ :]+"
)
_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
          "eleven", "twelve"]
_COMPARED = r"(?:[a-z][a-z0-9_ ]*)?[<>≤≥]=? ?"
_REMARK = (
    r"(?:[,;:-] ?[^0-9 .,;:+-].*|[(\[≈~].*|[<>≤≥][^0-9]*"
    r"|(?:because|since|as|so|where|when|if|with|which|that) .*)"
)
_NO_REMARK = r"[^=≈~,;:(\[]"
_ANOTHER_NUMBER = r"(?:or|and|to|up to|vs\.?|versus|plus|minus|times|x|e) ?[+-]?[.0-9]"

FORMS = {
    # No number takes more characters than this with all that stands around it.
    "longest": 300,
    # Signs that Unicode's form NFKC would change in their meaning: 40² and 2½.
    "before": [
        [r"(?=[⁰¹²³⁴-⁹⁻])", "^"],
        [r"(?=[¼-¾⅐-⅞])", " "],
    ],
    # After NFKC: one sign for one thing, and nothing around the answer.
    "tidy": [
        [r"\s+", " "],
        [r"[−–—‒]", "-"],
        [r"-\^", "-"],
        [r"⁄", "/"],
        [rf"^[ {_QUOTES}]+|[ .,;!?{_QUOTES}]+$", ""],
        [r"^[(\[{] ?([^()\[\]{}]*?) ?[)\]}]$", "$1"],
        [r"(?<![a-z])(?:a|one) (?=half|third|quarter)|(?<![a-z])(?=half(?![a-z]))", "1 "],
        [r"1 1 half|1 half", "1/2"],
        *[[rf"(?<![a-z]){word}(?![a-z])", str(digit)] for digit, word in enumerate(_WORDS)],
        [r"(?<=[0-9]) thirds?(?![a-z])", "/3"],
        [r"(?<=[0-9]) quarters?(?![a-z])", "/4"],
        [r"(^| )(?:minus|negative) (?=[.0-9])", "$1-"],
        [r"(?<=[0-9])[ '’_](?=[0-9]{3}(?![0-9]))", ""],
        [
            r",(?=[0-9]{3}(?:,[0-9]{3})*\.[0-9])|,(?=[0-9]{3},[0-9]{3}(?![0-9]))"
            r"|(?<=,[0-9]{3}),(?=[0-9]{3}(?![0-9]))",
            "",
        ],
        [r" ?(?:[x×·*]|times) ?10 ?(?:\^|\*\*) ?(?=[+-]?[0-9])", "e"],
    ],
    # What to leave out of an equation: all but its end, "gain = 0.08", or all but its beginning.
    "equation": [r"^(?:.*[=≈~→] ?|[a-z][a-z_ ]*[0-9]*: ?)", r" ?[=≈].*$"],
    # currency, sign, whole part of 2 1/2, number, power, divisor, unit
    "number": (
        rf"^(?:{_ABOUT}){{0,3}}(?:{_COMPARED})?(?:{_ABOUT})?((?:[€$£]|eur|usd) ?)?([+-]?) ?"
        rf"(?:([0-9]+) (?=[0-9]+ ?/ ?[0-9]))?({_DECIMAL})(?:(?:\^|\*\*)([+-]?[0-9]+))?"
        rf"(?: ?/ ?([+-]?{_DECIMAL}))? ?"
        rf"((?!(?:{_NO_REMARK}* )?{_ANOTHER_NUMBER})[{_LETTER}%€$£°]{_NO_REMARK}*?)? ?{_REMARK}?$"
    ),
    # Two answers for one: "0.42, or 0.58", "p = 0.42 or p = 0.58".
    "hedge": (
        r"^[^0-9]*[0-9][0-9.,/ ]*(?:[%€$a-z][%€$a-z ]{0,20})?[,;(]* ?"
        r"or (?:about |[a-z]+ ?[=≈] ?)?[+-]?[.0-9]"
    ),
    # A comma that may be a decimal comma as well as one of thousands.
    "two_ways": r"^[1-9][0-9]{0,2},[0-9]{3}(?![0-9])",
    "percent": r"^(?:%|percent(?:age points?)?|per cent|pct|pp)(?:-?points?)?(?![a-z]) ?",
    # "3 out of 4" may be a share.
    "out_of": rf"^(?:out of|of|in) (?:the |all )?({_DECIMAL})(?![0-9/])",
    # A unit in small words, without what it is counted by or out of: "bits a day" -> "bit".
    "unit": [
        [r"^(?:(?:out )?of |in )(?:the |all )*[0-9]+ ?", ""],
        [r" ?/.*|(?:^| )(?:per|a|an|each)(?= ).*", ""],
        [r"(?:squared|square|sq\.?) ([a-z]+)", "$1^2"],
        [r"([a-z]) ?(?:squared|\*\*2)", "$1^2"],
        [rf"(?:(?:^| )times(?= )|[^{_LETTER}%€$£°^0-9])+", " "],
        [r"s(?=\^| |$)", ""],
    ],
    # Words behind a number that are no unit: "184 on average", "60 less".
    "no_unit": (
        r"^(?:of|on|in|at|out|or|and|if|for|from|with|by|to|than|the|only|exactly|is|are|wa|were"
        r"|les|more|lower|higher|fewer|cheaper|dearer|altogether|total|overall|average)(?: |$)"
    ),
    # A letter with whatever stands before it, the sign behind it, and the reason.
    "letter": (
        r"^(?:(?:i (?:think|choose|chose|pick|say|take|guess|would say)|it"
        r"|(?:my |the )?(?:answer|choice|option|letter))(?: that)?(?: it)?(?:'s| is)?[ :=,]+){0,3}"
        r"[^a-z0-9]*([a-z])(?![a-z0-9'’])([^a-z0-9]*)([\s\S]*)$"
    ),
    "two_letters": r"^[^a-z0-9&/+]*(?:or|and|&|/|\+) ?\(?[a-z]\)?(?![a-z0-9])",
    # How a reason may begin: "A because ..." is a letter with a reason, "A tree ..." a sentence.
    "reason": (
        r"^(?:because|since|as|for|it|its|they|the|each|every|only|both|all|no|in|if|with|this|that"
        r"|these|those|there|we|you|when|where|while|on|at|by|of|so|but)(?![a-z])"
    ),
}
