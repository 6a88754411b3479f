"""What things are called, and how numbers and formulas are written, wherever a view writes them."""
