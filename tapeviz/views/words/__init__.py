"""What things are called, and how numbers and formulas are written, wherever a view writes them.

- names      `names`, of tensors and ops; `spoken`, what the source calls leaves that have none
- numbers    `numbers`, and the texts and heat maps of whole values
- formulas   `formulas`, from the catalog; `variants`, those that hold for one op; `rules`, in its names; `broadcast`,
             where they are sums
"""
