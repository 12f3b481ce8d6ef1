from tests.support.models import close_transports

__all__ = ["close_transports"]
