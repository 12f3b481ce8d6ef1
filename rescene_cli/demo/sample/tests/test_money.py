import unittest

from shop.money import percent_of, written


class MoneyTest(unittest.TestCase):
    def test_percent_rounds_to_the_nearest_cent(self):
        self.assertEqual(percent_of(999, 15), 150)
        self.assertEqual(percent_of(333, 10), 33)

    def test_written(self):
        self.assertEqual(written(1905), "19.05")


if __name__ == "__main__":
    unittest.main()
