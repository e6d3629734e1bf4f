"""Values that pass between the parts: frozen, without behaviour that reaches outside."""
