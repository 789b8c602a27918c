"""Output formats: score sheets as text, HTML, PNG and PDF; QR codes; exports; addresses; dates."""
