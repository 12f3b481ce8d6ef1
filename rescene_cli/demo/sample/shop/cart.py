"""A cart and what it costs."""

from shop.discounts import percent_for
from shop.money import percent_of

SHIPPING = 490
FREE_SHIPPING_FROM = 5000


class Cart:
    """Goods with their prices and quantities."""

    def __init__(self):
        self.lines = []

    def add(self, name, cents, quantity=1):
        """Put something into the cart."""
        self.lines.append((name, cents, quantity))

    def goods(self):
        """The price of all goods."""
        return sum(cents * quantity for _, cents, quantity in self.lines)

    def discount(self, code):
        """What a code takes off."""
        return percent_of(self.goods(), percent_for(code))

    def shipping(self, code=None):
        """Free from a certain price on, after the discount."""
        return 0 if self.goods() > FREE_SHIPPING_FROM else SHIPPING

    def total(self, code=None):
        """What the customer pays."""
        return self.goods() - self.discount(code) + self.shipping(code)
