"""What-if questions, the advisor, and predictions beside measured steps."""
