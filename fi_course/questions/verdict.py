"""The result of a check as data, and the mistakes it may name: nothing is shown or raised here."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """A common mistake: its name, its output (a letter, a value or a function) and the feedback.

    Of several values a mistake may speak of some only, with `partly=True`: whatever the others are,
    it is named.
    """

    name: str
    output: object
    message: str
    partly: bool = False


@dataclass(frozen=True)
class Verdict:
    """The result of a check: status "right", "not started", "wrong" or "by hand".

    "by hand" means that a person will read the answer. A wrong answer has a message, the name of
    the mistake if it is a known one, and the smallest counterexample found: on which input, what
    came, what was expected. `trace` is the answer's own traceback, shown on request only; `printed`
    what it wrote on the counterexample, or on the first input; `meaning` what a right answer means.
    """

    status: str
    message: str = ""
    mistake: str = ""
    on: str = ""
    yours: str = ""
    expected: str = ""
    trace: str = ""
    meaning: str = ""
    printed: str = ""

    @property
    def counterexample(self):
        """Return a sentence with input, output and expected output, or ""."""
        if not self.yours:
            return ""
        came = (f"On `{self.on}` you return `{self.yours}`" if self.on
                else f"You give `{self.yours}`")
        return came + (f"; expected: `{self.expected}`." if self.expected else ".")

    @property
    def text(self):
        """Return message and counterexample -> str."""
        return " ".join(part for part in (self.message, self.counterexample) if part)
