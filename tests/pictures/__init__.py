"""Pictures of the product, made from the product."""
