"""The compiler that grpcio-tools carries."""
