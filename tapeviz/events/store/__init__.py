"""A log <-> one file that holds all that views show of it.

- verbs           `save` and `load`; `schema`, the parts of the file and the version of their form
- `loaded_log`    what has been read of a file; `column_tables` reads it as far as it is asked, by `rows_by_class`,
                  of which the `pieces` that several files have are read once
- `ranks`         the logs of several processes, a folder of files
- `journal`       what happened, as rows in order; `codec`, rows <-> lines of JSON; `columns`, what checks their fields
- `value_blocks`  values <-> blocks of bytes
- `archive`       all of it in one zip file, which is checked as it is read; `atomic` puts that and every other file of
                  tapeviz's where it belongs, whole
- `redacted`      a log <-> the same without its values or its sources
"""
