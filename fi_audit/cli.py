"""Define the command `fi-teach audit`; the audit itself is imported when it runs."""


def add_commands(commands):
    """Add `audit` to the command fi-teach."""
    _add_audit(commands)


def _add_audit(commands):
    command = commands.add_parser(
        "audit", help="say what may be said about a model's features",
        description="Take a fitted model and its table: look first for what would make every "
                    "importance worthless, then write what may be said, and what may not.")
    command.add_argument(
        "model", metavar="MODEL",
        help="joblib's .joblib or .pkl (loading one runs its code), XGBoost's .json or .ubj, "
             "LightGBM's .txt")
    command.add_argument("table", metavar="TABLE", help="CSV or Parquet (which keeps dates)")
    command.add_argument("--target", required=True, metavar="Y", help="the column to predict")
    command.add_argument(
        "--test", metavar="ROWS", help="rows the model has not seen: another table, or a column "
        "that is true in them (default: refit on two thirds, judge on the rest)")
    command.add_argument("--groups", metavar="COLUMN", help="rows that belong together")
    command.add_argument("--time", metavar="COLUMN", help="when each row was decided")
    command.add_argument("--protected", metavar="COLUMN", help="whom it concerns")
    command.add_argument("--weight", metavar="COLUMN", help="how much each row counts")
    command.add_argument(
        "--known-from", action="append", default=[], metavar="COLUMN=DATE-OR-COLUMN",
        help="when a column's value came to be; may be given several times")
    command.add_argument("--quick", action="store_true", help="fewer rows, shuffles and refits")
    command.add_argument("--seed", type=int, default=0, metavar="N")
    command.add_argument("--out", required=True, metavar="FOLDER", help="where the report goes")
    command.set_defaults(run=audit)


def audit(options):
    """Audit a model file -> exit code, 1 where no importance may be written."""
    from fi_audit.command import audit_files
    return audit_files(options)
