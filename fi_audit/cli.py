"""Define the command `fi-teach audit`; the audit itself is imported when it runs."""


def add_commands(commands):
    """Add `audit` to the command fi-teach."""
    command = commands.add_parser(
        "audit", help="say what may be said about a model's features",
        description="Take a fitted model and a table of rows that it has not seen: say what it "
                    "predicts, what it relies on, what may be written, and what may not.")
    command.add_argument(
        "model", metavar="MODEL",
        help="joblib's .joblib or .pkl (loading one runs its code), XGBoost's .json or .ubj, "
             "LightGBM's .txt")
    command.add_argument("table", metavar="TABLE", help="rows that the model has not seen: CSV or "
                         "Parquet (which keeps dates)")
    command.add_argument("--target", required=True, metavar="Y", help="the column to predict")
    rows = command.add_mutually_exclusive_group()
    rows.add_argument(
        "--train", metavar="ROWS", help="rows that the model was fitted on: another table, or a "
        "column of TABLE that is true in them")
    rows.add_argument("--seen", action="store_true", help="the model was fitted on all of TABLE")
    command.add_argument("--refit", action="store_true", help="allow copies of the model that are "
                         "fitted again: on a part of seen rows, and without a column")
    command.add_argument("--groups", metavar="COLUMN", help="rows that belong together")
    command.add_argument("--time", metavar="COLUMN", help="when each row was decided")
    command.add_argument("--protected", metavar="COLUMN", help="whom it concerns")
    command.add_argument("--weight", metavar="COLUMN", help="how much each row counts")
    command.add_argument(
        "--known-from", action="append", default=[], metavar="COLUMN=DATE-OR-COLUMN",
        help="when a column's value came to be; may be given several times")
    command.add_argument("--quick", action="store_true", help="fewer rows, shuffles and refits")
    command.add_argument("--seed", type=int, default=0, metavar="N")
    command.add_argument("--notebook", action="store_true", help="also write a notebook that "
                         "computes the report from the two files")
    command.add_argument("--out", required=True, metavar="FOLDER", help="where the report goes")
    command.set_defaults(run=audit)


def audit(options):
    """Audit a model file -> exit code, 1 where no importance may be written."""
    from fi_audit.command import audit_files
    return audit_files(options)
