"""Seven real tables for the field cases: as messy as practice, small enough to learn on.

The CSV files hold what their source holds; a loader encodes them for trees: no/yes as 0/1, ordered
grades as 1, 2, 3.
"""

import pandas as pd

from fi_teach.data.table import Table, as_table, encode, read_csv

NO_YES = {0: "no", 1: "yes"}
MORTGAGE_CODES = dict.fromkeys(
    ("phist", "selfemp", "insurance", "condomin", "afam", "single", "hschool"), NO_YES
)
CREDIT_CODES = {"owner": NO_YES, "selfemp": NO_YES}
GBSG2_CODES = {
    "horTh": NO_YES,
    "menostat": {0: "Pre", 1: "Post"},
    "tgrade": {1: "I", 2: "II", 3: "III"},
}


def encoded(raw: pd.DataFrame, codes: dict) -> pd.DataFrame:
    """The table with every column named in `codes` written as numbers."""
    return raw.assign(**{column: encode(raw[column], code) for column, code in codes.items()})


def tissues() -> Table:
    """Which of seven tissues is a sample from? 189 samples, expression of 500 genes.

    >>> X, y = tissues()
    >>> X.shape, y.nunique(), y.value_counts().idxmin()
    ((189, 500), 7, 'placenta')
    """
    raw = read_csv("tissues")
    features = raw.drop(columns="tissue")
    return as_table(
        "tissues",
        features,
        raw["tissue"],
        description=(
            "More genes than samples, in correlated groups, and 6 placentas against 39 kidneys."
            " Four liver samples are exact copies of four others: keep copies on one side of "
            "any split. The genes are a random choice, so that the known marker genes may be "
            "missing."
        ),
        units=dict.fromkeys(features, "expression on a logarithmic scale, base not stated")
        | {"tissue": "one of seven tissues"},
    )


def concrete() -> Table:
    """How strong will it be? 1030 tests of concrete, seven ingredients and the age at test.

    >>> X, y = concrete()
    >>> X.shape, round(float(y.mean()), 2)
    ((1030, 8), 35.82)
    """
    raw = read_csv("concrete")
    features = raw.drop(columns="compressive_strength")
    kilograms = dict.fromkeys(features.columns[:-1], "kg in a cubic metre of concrete")
    return as_table(
        "concrete",
        features,
        raw["compressive_strength"],
        description=(
            "Only 427 different mixes: 784 rows share their mix with at least one other row, "
            "most of them tested at another age. 25 rows repeat an earlier one exactly, and "
            "many more up to rounding: 220 mixes have a twin within 1 kg in every ingredient, "
            "and 315 remain when twins are merged. Split by merged mixes, not by rows."
        ),
        units=kilograms | {"age": "days", "compressive_strength": "MPa"},
    )


def credit_cards() -> Table:
    """Was the application accepted (1) or rejected (0)? 1319 applicants, two leaks in 11 features.

    >>> X, y = credit_cards()
    >>> X.shape, int(y.sum())
    ((1319, 11), 1023)
    >>> float(X.loc[y == 0, "expenditure"].max())
    0.0
    """
    raw = read_csv("credit_cards")
    return as_table(
        "credit_cards",
        encoded(raw.drop(columns="card"), CREDIT_CODES),
        encode(raw["card"], NO_YES),
        codes=CREDIT_CODES,
        description=(
            "expenditure and share are known only after the card was issued: every rejected "
            "applicant has expenditure 0, and so have 21 accepted ones. Seven applicants are "
            "less than one year old, by the table."
        ),
        units={
            "card": "1 accepted, 0 rejected",
            "reports": "major derogatory reports",
            "age": "years",
            "income": "10 000 US dollars a year",
            "share": "a year's card expenditure / yearly income",
            "expenditure": "US dollars a month",
            "owner": "owns the home: 1 yes, 0 no",
            "selfemp": "self-employed: 1 yes, 0 no",
            "dependents": "persons",
            "months": "months at the current address",
            "majorcards": "major credit cards held",
            "active": "active credit accounts",
        },
    )


def mortgages() -> Table:
    """Was the mortgage denied (1) or granted (0)? 2380 applications in Boston in 1990.

    >>> X, y = mortgages()
    >>> y.groupby(X["afam"]).mean().round(3).tolist()
    [0.093, 0.283]
    """
    raw = read_csv("mortgages")
    return as_table(
        "mortgages",
        encoded(raw.drop(columns="deny"), MORTGAGE_CODES),
        encode(raw["deny"], NO_YES),
        codes=MORTGAGE_CODES,
        description=(
            "afam is the protected column. What the lender saw beyond these thirteen features "
            "is not in the table, so that a gap between groups is a finding, not its "
            "explanation. insurance is a denial by another party that nearly decides the case. "
            "Five applicants have payments above their income."
        ),
        units={
            "deny": "1 denied, 0 granted",
            "pirat": "debt payments / income",
            "hirat": "housing expense / income",
            "lvrat": "loan / value of the property",
            "chist": "consumer credit history, 1 good to 6 bad; 4 is too little history",
            "mhist": "mortgage payments, 1 never late to 4 often late; 2 is no mortgage",
            "phist": "public bad credit record: 1 yes, 0 no",
            "unemp": "unemployment in the applicant's industry, per cent",
            "selfemp": "self-employed: 1 yes, 0 no",
            "insurance": "mortgage insurance denied: 1 yes, 0 no",
            "condomin": "condominium: 1 yes, 0 no",
            "afam": "African-American: 1 yes, 0 no",
            "single": "single: 1 yes, 0 no",
            "hschool": "high-school diploma: 1 yes, 0 no",
        },
    )


def gbsg2() -> Table:
    """How long until breast cancer returns? 686 women, eight features; y holds time and event.

    y : DataFrame with `time` in days and `event`, 1 if recurrence or death was seen, 0 if censored

    >>> X, y = gbsg2()
    >>> X.shape, y["event"].sum(), y.columns.tolist()
    ((686, 8), np.int64(299), ['time', 'event'])
    """
    raw = read_csv("gbsg2")
    outcome = raw[["time", "cens"]].rename(columns={"cens": "event"})
    return as_table(
        "gbsg2",
        encoded(raw.drop(columns=["time", "cens"]), GBSG2_CODES),
        outcome,
        codes=GBSG2_CODES,
        description=(
            "More than half of the times are censored: the woman was still well when last seen,"
            " and her time is a lower bound."
        ),
        units={
            "horTh": "hormonal therapy: 1 yes, 0 no",
            "age": "years",
            "menostat": "menopause: 0 before, 1 after",
            "tsize": "tumour size in mm",
            "tgrade": "tumour grade, 1 to 3",
            "pnodes": "positive lymph nodes",
            "progrec": "progesterone receptor, fmol",
            "estrec": "oestrogen receptor, fmol",
            "time": "days without recurrence",
            "event": "1 recurrence or death, 0 censored",
        },
    )


def meats() -> Table:
    """How much water, fat and protein? 215 samples, absorbance at 100 wavelengths, three outputs.

    y : DataFrame with `water`, `fat`, `protein`, in per cent

    >>> X, y = meats()
    >>> X.shape, y.columns.tolist()
    ((215, 100), ['water', 'fat', 'protein'])
    """
    raw = read_csv("meats")
    outputs = ["water", "fat", "protein"]
    features = raw.drop(columns=outputs)
    return as_table(
        "meats",
        features,
        raw[outputs],
        description=(
            "One hundred neighbouring channels from 850 to 1050 nm, every pair correlated above"
            " 0.96, and three outputs that add up to about 99 per cent. 22 rows repeat an "
            "earlier one. Recorded on a Tecator instrument."
        ),
        units=dict.fromkeys(features, "absorbance, -log10 of the transmittance")
        | dict.fromkeys(outputs, "per cent"),
    )


def loans() -> Table:
    """Was a loan paid back (0) or not (1)? 4454 consumer loans, with words and gaps as they came.

    >>> X, y = loans()
    >>> X.shape, int(X.isna().any(axis=1).sum()), y.groupby(X["Records"]).mean().round(2).tolist()
    ((4454, 13), 415, [0.22, 0.55])
    """
    raw = read_csv("loans")
    return as_table(
        "loans",
        raw.drop(columns="Status"),
        encode(raw["Status"], {0: "good", 1: "bad"}),
        description=(
            "Words stay words and gaps stay gaps. Most gaps of Income were zeros in the file that "
            "the table was made from, the others a code for missing: a gap is not an accident."
        ),
        units={
            "Status": "1 bad, 0 good",
            "Seniority": "years in the job",
            "Home": "who owns the home",
            "Time": "months that the loan runs",
            "Age": "years",
            "Marital": "marital status",
            "Records": "earlier trouble is on record: yes or no",
            "Job": "kind of employment",
            "Expenses": "a month, currency not stated",
            "Income": "currency and period not stated",
            "Assets": "currency not stated",
            "Debt": "currency not stated",
            "Amount": "asked for, currency not stated",
            "Price": "of what is to be bought",
        },
    )
