import unittest

from shop.cart import Cart
from shop.discounts import UnknownCode


def cart(*prices):
    filled = Cart()
    for price in prices:
        filled.add("thing", price)
    return filled


class CartTest(unittest.TestCase):
    def test_small_orders_pay_shipping(self):
        self.assertEqual(cart(1000).total(), 1490)

    def test_shipping_is_free_from_fifty_on(self):
        self.assertEqual(cart(5000).total(), 5000)

    def test_shipping_counts_after_the_discount(self):
        self.assertEqual(cart(5200).total("SPRING10"), 4680 + 490)

    def test_unknown_code(self):
        with self.assertRaises(UnknownCode):
            cart(1000).total("AUTUMN")


if __name__ == "__main__":
    unittest.main()
