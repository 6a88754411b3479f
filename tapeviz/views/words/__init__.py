"""Names of tensors and ops, and how numbers and formulas are written, the same in every view.

- names      `names`, of tensors and ops; `names_in_source`, of leaves that have none of their own; `attributes`, of
             ops; `one_line`, a text shortened
- numbers    `numbers`, the texts of values; `levels`, their histograms; `cells`, what their pictures are painted from
- formulas   `formulas`, from the catalog; `variants`, those that hold for one op, and the `edges` of its domain that it
             can meet; `rules`, in its names, and whether they are sums
"""
